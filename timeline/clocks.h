// Job time: every stamp of a job as an interval of nanoseconds on one axis.
//
// Rules:
//   - a yearless stamp gets the year that brings it nearest to the stamps that carry one;
//   - wall clocks and epoch times (`utc`) differ by a multiple of 30 minutes. The offset is taken
//   from
//     pairs that describe one moment on both clocks; without a proof it is 0 and zone_proven() is
//     false;
//   - the axis is UTC where the offset is proven, else the printed civil time;
//   - boot seconds have no place on the axis: their interval is unknown.
// Hosts are taken as synchronous; infos() is where an offset per host belongs.
//
//   JobClock clock(facts, pairs);
//   Interval when = clock.at(item.first);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/facts.h"
#include "model/job.h"

namespace firstfault {

// One moment told twice: by a wall stamp, `wall_delay` nanoseconds later, and by an epoch time.
struct ClockPair {
  Stamp wall;
  std::int64_t wall_delay = 0;
  std::int64_t utc_ns = 0;
  std::string host;  // whose clocks they are, "" unknown
};

class JobClock {
 public:
  JobClock() = default;
  JobClock(const Facts& facts, const std::vector<ClockPair>& pairs);

  // Job time of a stamp; unknown for boot seconds and for no stamp at all.
  Interval at(const Stamp& stamp) const;
  Interval at_utc(std::int64_t ns) const { return Interval::at(ns); }

  bool year_known() const { return year_known_; }
  bool zone_proven() const { return zone_proven_; }
  double zone_offset_s() const {
    return static_cast<double>(zone_offset_) / static_cast<double>(kSecond);
  }
  bool axis_is_utc() const { return axis_is_utc_; }
  // What is known of the hosts' wall clocks: one row for each host that took part in a proof.
  const std::vector<ClockInfo>& infos() const { return infos_; }

 private:
  std::int64_t with_year(std::int64_t ns_in_2000) const;
  Interval civil(const Stamp& stamp) const;  // year put in, zone still as printed

  bool year_known_ = false;
  bool zone_proven_ = false;
  bool axis_is_utc_ = false;
  Interval reference_;            // hull of stamps with a year; meaningful if year_known_
  std::int64_t zone_offset_ = 0;  // wall minus utc
  std::vector<ClockInfo> infos_;
};

}  // namespace firstfault
