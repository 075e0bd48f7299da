// Coverage: which hosts and ranks each kind of source was seen of, and over what time. What was not
// observed may not be taken for absent.
#pragma once

#include <cstdint>
#include <vector>

#include "model/job.h"
#include "timeline/groups.h"
#include "timeline/rank_table.h"

namespace firstfault {

// Rows: "kernel" for each host (and one without host for a log of an unknown machine); "launcher",
// "scheduler", "flight_recorder", "nccl_debug", "nccl_coll", "rank_log" for the job.
std::vector<Coverage> make_coverage(const Scene& scene, const Groups& groups,
                                    const RankTable& ranks, std::int32_t attempt);

// The host a source is of: that of all its speakers if they agree, else "".
std::string host_of_source(const Scene& scene, std::uint32_t source);
// Job time of a source's stamped lines.
Interval span_of_source(const Scene& scene, std::uint32_t source);

}  // namespace firstfault
