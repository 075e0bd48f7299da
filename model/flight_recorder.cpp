#include "model/flight_recorder.h"

#include <algorithm>

namespace firstfault {

void FrDump::measure_times() {
  created = {};
  last_created_ns = 0;
  for (const FrEntry& entry : entries) {
    if (entry.created_ns <= 0 || entry.created_ns == kTimeMax) continue;
    if (last_created_ns == 0) created = Interval::at(entry.created_ns);
    created.lo = std::min(created.lo, entry.created_ns);
    created.hi = std::max(created.hi, entry.created_ns);
    last_created_ns = entry.created_ns;
  }
}

}  // namespace firstfault
