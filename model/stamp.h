// When something was said or done, as far as one line and its neighbours tell.
//
// Three clocks appear in the files of a failed job and may not be mixed without a proof:
//   wall    seconds of a host's wall clock as printed, zone not stated ("2026-12-01 03:44:59,123")
//   utc     epoch time (Flight Recorder nanoseconds, error.json, stamps with an offset)
//   boot    seconds since a host booted (dmesg)
// A value on `wall` is kept as if the printed civil time were UTC; `yearless` stamps (c10d, syslog)
// are kept in the year 2000. timeline/ turns all of them into one time of the job.
#pragma once

#include <cstdint>

#include "base/interval.h"

namespace firstfault {

enum class Clock : std::uint8_t { none, wall, utc, boot };

// How far a stamp may be trusted.
enum class StampGrade : std::uint8_t {
  none,        // nothing known
  neighbours,  // bounded by stamped lines of the same speaker before and after it
  printed,     // the line carries its own time
};

struct Stamp {
  Clock clock = Clock::none;
  StampGrade grade = StampGrade::none;
  bool yearless = false;
  Interval time;  // nanoseconds; for a printed stamp the width is its resolution (c10d: one second)
  // c10d prints the fraction of CLOCK_MONOTONIC behind a wall second; it orders lines of one boot
  // only modulo one second. -1 = none.
  std::int32_t monotonic_fraction_ns = -1;

  friend bool operator==(const Stamp&, const Stamp&) = default;
};

}  // namespace firstfault
