// Attempts: the starts of a job, the window of time of each, and which one an item belongs to.
//
// An item belongs to the attempt of its voice or of the process it names; else to the attempt whose
// start is the latest before it; else to the one that its source was in at that offset.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/facts.h"
#include "timeline/clocks.h"
#include "timeline/identity.h"

namespace firstfault {

class Attempts {
 public:
  Attempts(const Facts& facts, const Identity& identity, const JobClock& clock);

  std::size_t count() const { return windows_.size(); }
  // Hull of everything that ranks and launchers of the attempt said; unknown() without times.
  const Interval& window(std::int32_t attempt) const { return windows_[attempt]; }

  // Attempt of something said in a source at an offset and time by a voice without an attempt.
  std::int32_t place(std::uint32_t source, std::uint64_t offset, const Interval& time) const;
  // Could this have happened during the attempt? Unknown times could not be ruled out: nullopt.
  std::optional<bool> inside(std::int32_t attempt, const Interval& time) const;

 private:
  const Identity& identity_;
  std::vector<Interval> windows_;
};

}  // namespace firstfault
