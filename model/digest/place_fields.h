// Fields of what says where, when and by whom: Stamp, Quote, Speaker. See archive.h.
#pragma once

#include "model/digest/enums.h"

namespace firstfault {

template <class Archive>
void fields(Archive& a, Stamp& x, const Stamp& before) {
  auto& [clock, grade, yearless, time, monotonic_fraction_ns] = x;
  auto& [lo, hi] = time;
  a(clock, grade, yearless);
  a.delta(lo, before.time.lo);
  a.delta(hi, lo);
  a(monotonic_fraction_ns);
}

template <class Archive>
void fields(Archive& a, Stamp& x) {
  fields(a, x, Stamp{});
}

template <class Archive>
void fields(Archive& a, Quote& x, const Quote& before) {
  auto& [offset, length, line, record, text, lossy] = x;
  a.delta(offset, before.offset);
  a(length);
  a.delta(line, before.line);
  a(record, text, lossy);
}

template <class Archive>
void fields(Archive& a, Speaker& x) {
  auto& [host, pid, global_rank, local_rank, task, path_rank, attempt, agent] = x;
  a(host, pid, global_rank, local_rank, task, path_rank, attempt, agent);
}

}  // namespace firstfault
