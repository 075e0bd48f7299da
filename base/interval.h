// Time as firstfault knows it: never a point, always an interval with honest bounds.
//
//   Interval step = Interval::between(10 * kSecond, 11 * kSecond);   // a c10d stamp: the whole
//   second step.surely_before(other)   // true only if no overlap is possible
//
// Units are nanoseconds on one clock; which clock is the owner's business (model/stamp.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace firstfault {

inline constexpr std::int64_t kMillisecond = 1'000'000;
inline constexpr std::int64_t kSecond = 1'000'000'000;
inline constexpr std::int64_t kTimeMin = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kTimeMax = std::numeric_limits<std::int64_t>::max();

struct Interval {
  std::int64_t lo = kTimeMin;  // earliest, inclusive; kTimeMin = unbounded
  std::int64_t hi = kTimeMax;  // latest, inclusive; kTimeMax = unbounded

  static constexpr Interval at(std::int64_t ns) { return {ns, ns}; }
  static constexpr Interval between(std::int64_t lo, std::int64_t hi) { return {lo, hi}; }

  constexpr bool bounded_below() const { return lo != kTimeMin; }
  constexpr bool bounded_above() const { return hi != kTimeMax; }
  constexpr bool unknown() const { return !bounded_below() && !bounded_above(); }
  constexpr bool surely_before(const Interval& o) const { return hi < o.lo; }
  constexpr bool overlaps(const Interval& o) const { return lo <= o.hi && o.lo <= hi; }

  // Moves both known bounds; unknown bounds stay unknown, overflow saturates to unknown.
  constexpr Interval shifted(std::int64_t by) const { return {shift(lo, by), shift(hi, by)}; }
  constexpr Interval widened(std::int64_t by) const { return {shift(lo, -by), shift(hi, by)}; }
  // The smallest interval that holds both.
  constexpr Interval hull(const Interval& o) const {
    return {std::min(lo, o.lo), std::max(hi, o.hi)};
  }
  // Common part; if there is none the result has lo > hi (empty()).
  constexpr Interval intersect(const Interval& o) const {
    return {std::max(lo, o.lo), std::min(hi, o.hi)};
  }
  constexpr bool empty() const { return lo > hi; }

  friend constexpr bool operator==(const Interval&, const Interval&) = default;
  friend constexpr auto operator<=>(const Interval&, const Interval&) = default;

 private:
  static constexpr std::int64_t shift(std::int64_t t, std::int64_t by) {
    if (t == kTimeMin || t == kTimeMax) return t;
    if (by > 0 && t > kTimeMax - by) return kTimeMax;
    if (by < 0 && t < kTimeMin - by) return kTimeMin;
    return t + by;
  }
};

}  // namespace firstfault
