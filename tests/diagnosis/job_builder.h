// Attempts made by hand for tests of the diagnosis: a few words a rank and a call.
#pragma once

#include <string>
#include <utility>

#include "model/job.h"

namespace firstfault::test {

inline Attempt attempt_of(std::int32_t world) {
  Attempt a;
  a.world_size = world;
  for (std::int32_t r = 0; r < world; ++r) {
    RankInfo info;
    info.rank = r;
    info.host = "node-" + std::to_string(r / 2 + 1);
    info.pid = 100 + r;
    info.has_log = true;
    a.ranks.push_back(std::move(info));
  }
  return a;
}

inline Job job_of(Attempt a) {
  Job job;
  job.attempts.push_back(std::move(a));
  return job;
}

inline Episode episode(std::string cls, RankSet reporter, RankSet about, double at_s = -1) {
  Episode e;
  e.cls = std::move(cls);
  e.reporter.ranks = std::move(reporter);
  e.about.ranks = std::move(about);
  if (at_s >= 0) e.time = Interval::at(static_cast<std::int64_t>(at_s * 1e9));
  Evidence said;
  said.quote.text = e.cls;
  e.evidence.push_back(std::move(said));
  return e;
}

// An issued call as a dump tells it, at a second of job time.
inline Cell call(OpKind kind, double at_s, bool completed = false) {
  Cell c;
  c.known = c.issued = true;
  c.completed = completed;
  c.grade = completed ? Grade::proven : Grade::nothing;
  c.signature.kind = kind;
  c.signature.count = 8;
  c.signature.dtype = "float32";
  c.source = OpSource::flight_recorder;
  c.issued_at = Interval::at(static_cast<std::int64_t>(at_s * 1e9));
  return c;
}

inline Cell not_issued() {
  Cell c;
  c.known = true;
  c.source = OpSource::flight_recorder;
  return c;
}

// A communicator whose members' calls are wholly visible and that timed out.
inline Communicator communicator(std::string id, RankSet members) {
  Communicator c;
  c.id = std::move(id);
  c.size = static_cast<std::int32_t>(members.size());
  c.seq_kind = SeqKind::c10d;
  c.timed_out = true;
  c.cut_by = "watchdog_timeout";
  c.cut = Interval::at(600 * kSecond);
  for (const std::int32_t r : members) c.progress[r].complete_view = true;
  c.members = std::move(members);
  return c;
}

inline Slot slot(std::int64_t seq, std::map<std::int32_t, Cell> cells) {
  Slot s;
  s.seq = seq;
  s.cells = std::move(cells);
  return s;
}

}  // namespace firstfault::test
