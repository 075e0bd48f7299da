// Scene: what every step of the join needs, made once: names of sources, identity, clock, attempts.
#pragma once

#include <cstdint>
#include <utility>

#include "model/facts.h"
#include "model/job.h"
#include "timeline/attempts.h"
#include "timeline/clocks.h"
#include "timeline/identity.h"
#include "timeline/source_names.h"

namespace firstfault {

// Who said an item, in which attempt, when.
struct Said {
  std::int32_t attempt = 0;
  std::int32_t rank = -1;
  bool guess = false;
  bool agent = false;
  std::string host;
  std::int64_t pid = -1;
  Interval time;
};

class Scene {
 public:
  explicit Scene(const Facts& facts);

  const Facts& facts;
  SourceNames names;
  Identity identity;
  JobClock clock;
  Attempts attempts;

  Evidence evidence(std::uint32_t source, const Quote& quote) const {
    return {names.position[source], quote};
  }
  Said said(std::uint32_t source, const Item& item) const;
};

// Adds evidence unless that place is there already; at most `limit`, at most one more from each
// source once two sources are there.
void add_evidence(std::vector<Evidence>* list, Evidence evidence, std::size_t limit = 4);

}  // namespace firstfault
