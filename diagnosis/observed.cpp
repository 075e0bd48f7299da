#include "diagnosis/observed.h"

#include <string_view>

namespace firstfault {

namespace {

constexpr std::string_view kOfRanks[] = {"flight_recorder", "nccl_debug", "nccl_coll", "rank_log"};

}  // namespace

RankSet unobserved(const Attempt& attempt, const RankSet& members) {
  RankSet seen;
  for (const RankInfo& r : attempt.ranks) {
    if (r.has_log) seen.insert(r.rank);
  }
  for (const Coverage& c : attempt.coverage) {
    for (const std::string_view source : kOfRanks) {
      if (c.source == source) seen.merge(c.ranks);
    }
  }
  return members.minus(seen);
}

}  // namespace firstfault
