#include "timeline/attempts.h"

#include <algorithm>

namespace firstfault {

namespace {

// A kernel or a scheduler may speak a little before the first and after the last word of the ranks.
constexpr std::int64_t kSlack = 300 * kSecond;

void grow(Interval* window, const Interval& time) {
  if (time.bounded_below()) {
    window->lo = window->lo == kTimeMin ? time.lo : std::min(window->lo, time.lo);
  }
  if (time.bounded_above()) {
    window->hi = window->hi == kTimeMax ? time.hi : std::max(window->hi, time.hi);
  }
}

bool of_the_job(SourceKind kind) {
  return kind != SourceKind::kernel_log && kind != SourceKind::scheduler_log &&
         kind != SourceKind::node_snapshot;
}

// When the operation was enqueued that had run for `ms` at `stamp`.
Stamp earlier(Stamp stamp, std::int64_t ms) {
  constexpr std::int64_t kMostMs = 30LL * 24 * 3600 * 1000;
  stamp.time.lo -= std::min(ms, kMostMs) * (kSecond / 1000);
  return stamp;
}

}  // namespace

Attempts::Attempts(const Facts& facts, const Identity& identity, const JobClock& clock)
    : identity_(identity), windows_(identity.attempt_numbers().size()) {
  const bool one = windows_.size() == 1;
  for (std::uint32_t s = 0; s < facts.sources.size(); ++s) {
    const SourceFacts& source = facts.sources[s];
    if (!of_the_job(source.info.kind)) continue;
    auto add = [&](std::uint32_t speaker, const Stamp& stamp) {
      const Voice& voice = identity.voice(s, speaker);
      const std::int32_t attempt = one ? 0 : voice.attempt;
      if (attempt >= 0 && stamp.grade == StampGrade::printed)
        grow(&windows_[attempt], clock.at(stamp));
    };
    for (const RecordItem& item : source.records) {
      add(item.speaker, item.first);
      const auto* failure = std::get_if<WorkFailure>(&item.record);
      if (failure != nullptr && item.first.time.bounded_below())
        add(item.speaker, earlier(item.first, std::max(failure->ran_ms, std::int64_t{0})));
    }
    for (const EventItem& item : source.events) {
      add(item.speaker, item.first);
      add(item.speaker, item.last);
    }
    for (const OpStream& stream : source.op_streams) {
      if (stream.ops.rows().empty()) continue;
      add(stream.speaker, stream.ops.rows().front().stamp);
      add(stream.speaker, stream.ops.rows().back().stamp);
    }
    const std::int32_t whole = one ? 0 : identity.voice(s, 0).attempt;
    if (whole < 0) continue;
    if (one || source.speakers.size() <= 1) {
      grow(&windows_[whole], clock.at(source.first_stamp));
      grow(&windows_[whole], clock.at(source.last_stamp));
    }
    for (const FrDump& dump : source.flight_recorder) {
      if (dump.created.unknown()) continue;
      grow(&windows_[whole], clock.at_utc(dump.created.lo));
      grow(&windows_[whole], clock.at_utc(dump.created.hi));
    }
  }
}

std::int32_t Attempts::place(std::uint32_t source, std::uint64_t offset,
                             const Interval& time) const {
  if (windows_.size() == 1) return 0;
  const std::int32_t marked = identity_.attempt_at(source, offset);
  if (marked >= 0) return marked;
  if (time.bounded_below()) {
    std::int32_t best = -1;
    for (std::size_t a = 0; a < windows_.size(); ++a) {
      if (windows_[a].bounded_below() && windows_[a].lo <= time.lo) best = static_cast<int>(a);
    }
    return std::max(best, 0);
  }
  return static_cast<std::int32_t>(windows_.size()) - 1;
}

std::optional<bool> Attempts::inside(std::int32_t attempt, const Interval& time) const {
  const Interval& window = windows_[attempt];
  if (window.unknown() || time.unknown()) return std::nullopt;
  return window.widened(kSlack).overlaps(time);
}

}  // namespace firstfault
