#include "timeline/clocks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "timeline/civil.h"

namespace firstfault {

namespace {

constexpr std::int64_t kZoneStep = 30 * 60 * kSecond;
constexpr std::int64_t kZoneLimit = 14 * 60 * 60 * kSecond;
constexpr std::int64_t kPairTolerance = 5 * kSecond;  // watchdog poll, print, host offset

bool carries_year(const Stamp& stamp) {
  return (stamp.clock == Clock::wall || stamp.clock == Clock::utc) && !stamp.yearless;
}

// Grows a hull of known bounds only.
struct Hull {
  Interval hull{kTimeMax, kTimeMin};
  void add(std::int64_t t) {
    if (t == kTimeMin || t == kTimeMax) return;
    hull.lo = std::min(hull.lo, t);
    hull.hi = std::max(hull.hi, t);
  }
  void add(const Stamp& stamp) {
    if (!carries_year(stamp)) return;
    add(stamp.time.lo);
    add(stamp.time.hi);
  }
  bool any() const { return hull.lo <= hull.hi; }
};

bool is_machine_log(SourceKind kind) {
  return kind == SourceKind::kernel_log || kind == SourceKind::scheduler_log ||
         kind == SourceKind::node_snapshot;
}

void add_source(const SourceFacts& source, Hull* hull) {
  hull->add(source.first_stamp);
  hull->add(source.last_stamp);
  for (const RecordItem& item : source.records) hull->add(item.first);
  for (const EventItem& item : source.events) hull->add(item.first);
  for (const FrDump& dump : source.flight_recorder) {
    hull->add(dump.created.lo);
    hull->add(dump.created.hi);
  }
}

std::int64_t saturating_sub(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_sub_overflow(a, b, &out)) return a < 0 ? kTimeMin + 1 : kTimeMax - 1;
  return out;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

JobClock::JobClock(const Facts& facts, const std::vector<ClockPair>& pairs) {
  // The job's own files decide; a kernel log may reach back for years.
  Hull own, machine;
  for (const SourceFacts& source : facts.sources) {
    add_source(source, is_machine_log(source.info.kind) ? &machine : &own);
  }
  const Hull& reference = own.any() ? own : machine;
  year_known_ = reference.any();
  if (year_known_) reference_ = reference.hull;

  struct Vote {
    std::int64_t offset;
    Interval residual;
    const ClockPair* pair;
  };
  std::vector<Vote> votes;
  for (const ClockPair& pair : pairs) {
    if (pair.wall.clock != Clock::wall || pair.utc_ns <= 0) continue;
    const Interval wall = civil(pair.wall).shifted(-pair.wall_delay);
    if (!wall.bounded_below() || !wall.bounded_above()) continue;
    const std::int64_t middle = wall.lo + (wall.hi - wall.lo) / 2;
    const std::int64_t raw = saturating_sub(middle, pair.utc_ns);
    if (raw > kZoneLimit + kZoneStep || raw < -kZoneLimit - kZoneStep) continue;
    const std::int64_t offset = floor_div(raw + kZoneStep / 2, kZoneStep) * kZoneStep;
    const Interval residual = wall.shifted(-pair.utc_ns).shifted(-offset);
    if (residual.lo > kPairTolerance || residual.hi < -kPairTolerance) continue;
    votes.push_back({offset, residual, &pair});
  }
  std::map<std::int64_t, std::size_t> count;
  for (const Vote& vote : votes) ++count[vote.offset];
  std::size_t most = 0;
  for (const auto& [offset, n] : count) {
    if (n > most) {
      most = n;
      zone_offset_ = offset;
    }
  }
  zone_proven_ = most > 0;
  if (!zone_proven_) zone_offset_ = 0;
  axis_is_utc_ = zone_proven_;

  // Every pair of a host bounds the same number: its wall clock's distance from its own epoch time.
  std::map<std::string, Interval> by_host;
  for (const Vote& vote : votes) {
    if (vote.offset != zone_offset_) continue;
    auto [at, fresh] = by_host.try_emplace(vote.pair->host, vote.residual);
    if (fresh) continue;
    const Interval both = at->second.intersect(vote.residual);
    at->second = both.empty() ? at->second.hull(vote.residual) : both;
  }
  for (const auto& [host, residual] : by_host) {
    ClockInfo info;
    info.id = "k" + std::to_string(infos_.size());
    info.host = host;
    info.kind = "wall";
    info.offset_s = static_cast<double>(zone_offset_) / static_cast<double>(kSecond);
    info.half_width_s =
        static_cast<double>(std::max(std::abs(residual.lo), std::abs(residual.hi))) /
        static_cast<double>(kSecond);
    info.from = "flight_recorder";
    infos_.push_back(std::move(info));
  }
}

std::int64_t JobClock::with_year(std::int64_t ns_in_2000) const {
  if (!year_known_ || ns_in_2000 == kTimeMin || ns_in_2000 == kTimeMax) return ns_in_2000;
  const std::int64_t day = floor_div(ns_in_2000, kNanosecondsPerDay);
  const std::int64_t of_day = ns_in_2000 - day * kNanosecondsPerDay;
  const CivilDate date = civil_from_days(day);
  const std::int64_t first = civil_from_days(floor_div(reference_.lo, kNanosecondsPerDay)).year;
  const std::int64_t last = civil_from_days(floor_div(reference_.hi, kNanosecondsPerDay)).year;
  std::optional<std::int64_t> best;
  std::int64_t best_distance = kTimeMax;
  for (std::int64_t year : {first - 1, first, first + 1, last - 1, last, last + 1}) {
    if (year < 1700 || year > 2250) continue;
    if (date.month == 2 && date.day == 29 && !is_leap_year(year)) continue;
    const std::int64_t t =
        days_from_civil(year, date.month, date.day) * kNanosecondsPerDay + of_day;
    const std::int64_t distance = t < reference_.lo   ? saturating_sub(reference_.lo, t)
                                  : t > reference_.hi ? saturating_sub(t, reference_.hi)
                                                      : 0;
    if (!best || distance < best_distance) {
      best = t;
      best_distance = distance;
    }
  }
  return best.value_or(ns_in_2000);
}

Interval JobClock::civil(const Stamp& stamp) const {
  if (!stamp.yearless) return stamp.time;
  return {with_year(stamp.time.lo), with_year(stamp.time.hi)};
}

Interval JobClock::at(const Stamp& stamp) const {
  if (stamp.clock == Clock::none || stamp.clock == Clock::boot) return {};
  Interval t = civil(stamp);
  if (stamp.clock == Clock::wall) t = t.shifted(-zone_offset_);
  if (t.empty()) return {};
  return t;
}

}  // namespace firstfault
