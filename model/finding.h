// Findings: what detectors conclude over the joined job. Same registry of classes as events; no
// text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/interval.h"
#include "model/job.h"

namespace firstfault {

enum class Truth : std::uint8_t { no, unknown, yes };

struct Finding {
  std::string cls;  // "ledger.signature_differs"
  Truth truth = Truth::yes;
  RankSet subjects;          // the ranks it is about (culprits of this finding)
  RankSet others;            // ranks it compares them with, or that wait for them
  std::string communicator;  // id, "" none
  std::int64_t seq = -1;
  Interval time;                    // when the thing itself began, job time
  std::vector<Capture> details;     // "field"="dtype", "here"="float16", "there"="float32"
  std::vector<Evidence> evidence;   // at most 8
  std::vector<std::size_t> inputs;  // indices of episodes of the attempt it rests on

  const std::string& detail(std::string_view name) const {
    static const std::string kNone;
    for (const Capture& c : details) {
      if (c.name == name) return c.value;
    }
    return kNone;
  }
};

}  // namespace firstfault
