// Episodes: events and those records that a cause may rest on, resolved, folded and in order.
//
// Records become episodes of fixed classes (see record_episodes.cpp and exit_episodes.cpp); where
// an event of the catalogue stands in the same lines, the event is the episode and the record only
// adds what it knows (communicator, number, places).
#pragma once

#include <vector>

#include "model/job.h"
#include "timeline/group_words.h"
#include "timeline/groups.h"
#include "timeline/rank_table.h"

namespace firstfault {

// One rank's collective as TORCH_DISTRIBUTED_DEBUG=DETAIL printed it, for the ledger.
struct DetailCall {
  std::int32_t attempt = 0;
  std::int32_t group =
      -1;  // index into Groups::of(attempt); -1: no group is known, the whole world
  std::int32_t rank = -1;
  std::int64_t seq = -1;
  Cell cell;
};

struct Episodes {
  std::vector<std::vector<Episode>> of;  // [attempt]
  std::vector<DetailCall> detail_calls;
};

Episodes make_episodes(const Scene& scene, const Groups& groups, const RankTable& ranks);

}  // namespace firstfault
