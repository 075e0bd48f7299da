// Subjects: whom an event or record accuses or concerns, resolved to ranks, hosts and GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "timeline/groups.h"
#include "timeline/scene.h"

namespace firstfault {

// A subject and how it was found.
struct Resolved {
  Subject subject;
  std::int32_t attempt = -1;  // that of the process found, -1 if none was
  bool guess = false;
  // false: shown to be of another job (a pid that no process of this one has, outside of any GPU of
  // it), or nothing ties it to the job but a time that is unknown.
  bool of_the_job = true;
};

Subject subject_of_rank(const Scene& scene, std::int32_t attempt, std::int32_t rank);
Subject subject_of_ranks(const Scene& scene, std::int32_t attempt, const RankSet& ranks);
Subject subject_of(const Scene& scene, const Said& said);

// "10.77.0.3<51672>": the rank if one rank lives on that host, else the host and the text as peer.
Subject subject_of_peer(const Scene& scene, std::int32_t attempt, std::string_view peer);

// A process or GPU that a log of the machine names. `time` unknown for boot seconds. A job of which
// no process is known has nothing to be outside of. `shares_pids`: that log names pids of the job
// elsewhere, so its pids are the job's pids.
Resolved subject_on_machine(const Scene& scene, std::string_view host, std::int64_t pid,
                            std::string_view pci, const Interval& time, bool shares_pids);

// Does a kernel log's source name at least one pid of the job?
bool shares_pids(const Scene& scene, std::uint32_t source);

}  // namespace firstfault
