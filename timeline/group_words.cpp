#include "timeline/group_words.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "timeline/op_agreement.h"

namespace firstfault {

namespace {

constexpr std::int64_t kWatchdogPoll = kSecond;  // the watchdog looks at least that often

bool earlier(const Interval& a, const Interval& b) {
  return std::tie(a.hi, a.lo) < std::tie(b.hi, b.lo);
}

void keep_earliest(std::map<std::pair<std::int32_t, std::int32_t>, Interval>* map,
                   std::pair<std::int32_t, std::int32_t> key, const Interval& time) {
  auto [at, fresh] = map->try_emplace(key, time);
  if (!fresh && earlier(time, at->second)) at->second = time;
}

}  // namespace

Words::Words(const Scene& scene, const Groups& groups, const RankTable& ranks)
    : scene_(scene), groups_(groups), ranks_(ranks), words_(scene.attempts.count()) {
  for (std::size_t a = 0; a < words_.size(); ++a) {
    words_[a].resize(groups.of(static_cast<std::int32_t>(a)).size());
  }
  const auto& sources = scene.facts.sources;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    for (const RecordItem& item : sources[s].records) {
      const Said said = scene.said(s, item);
      if (said.rank < 0) continue;
      const Evidence evidence = scene.evidence(s, item.quote);
      if (const auto* failure = std::get_if<WorkFailure>(&item.record)) {
        const std::int32_t g = groups.of_failure(said.attempt, said.rank, s, item, *failure);
        if (g >= 0) {
          words_[said.attempt][g].failures.push_back({failure, said.rank, said.time, evidence});
        }
      } else if (const auto* status = std::get_if<GroupStatus>(&item.record)) {
        const std::int32_t g = groups.of_status(said.attempt, said.rank, *status);
        if (g >= 0) {
          words_[said.attempt][g].statuses.push_back({status, said.rank, said.time, evidence});
        }
        if (status->why != GroupStatus::Why::failure_detected) {
          keep_earliest(&dump_signals_, {said.attempt, said.rank}, said.time);
        }
      } else if (const auto* end = std::get_if<CommEnd>(&item.record)) {
        std::int32_t attempt = said.attempt;
        const std::int32_t g =
            groups.of_pointer(s, item.speaker, end->comm, item.quote.offset, &attempt);
        if (g >= 0) words_[attempt][g].ends.push_back({end->how, said.rank, said.time});
      }
    }
  }
  for (const ExitSeen& exit : ranks.exits()) {
    if (exit.rank < 0 || exit.by_agent || !failed(*exit.exit) || exit.time.unknown()) continue;
    keep_earliest(&deaths_, {exit.attempt, exit.rank}, exit.time);
  }
}

Interval Words::dump_time(std::int32_t attempt, std::int32_t rank) const {
  const auto at = dump_signals_.find({attempt, rank});
  return at == dump_signals_.end() ? Interval{} : at->second;
}

Cut Words::cut(std::int32_t attempt, std::size_t group) const {
  const GroupWords& words = words_[attempt][group];
  const Group& g = groups_.of(attempt)[group];
  Cut out;
  auto consider = [&](const Interval& time, const char* by) {
    if (time.unknown()) {
      if (out.by.empty()) out.by = by;
      return;
    }
    if (out.time.unknown() || earlier(time, out.time)) {
      out.time = time;
      out.by = by;
    }
  };
  for (const FailureWord& word : words.failures) {
    out.waiting.insert(word.rank);
    if (word.failure->how != WorkFailure::How::exception) {
      out.timed_out = true;
      consider(word.time, "watchdog_timeout");
    } else {
      consider(word.time, "abort");
    }
  }
  for (std::int32_t rank : g.members) {
    const auto signal = dump_signals_.find({attempt, rank});
    if (signal != dump_signals_.end()) consider(signal->second, "dump_signal");
    const auto death = deaths_.find({attempt, rank});
    if (death != deaths_.end()) consider(death->second, "death");
  }
  for (const EndWord& end : words.ends) {
    if (end.how == CommEnd::How::destroy) continue;
    const RankNotes* notes = ranks_.find(attempt, end.rank);
    if (notes != nullptr && notes->ended_well()) continue;
    consider(end.time, "abort");
  }
  if (!out.timed_out) return out;
  // The watchdog fired when created + timeout had passed, whoever printed it when.
  for (const auto& [rank, view] : g.fr) {
    for (const FrRow& row : FrRows(view)) {
      const FrEntry& e = *row.entry;
      if (e.state == FrState::completed || e.created_ns <= 0 || e.timeout_ms < 0) continue;
      if (e.timeout_ms > kTimeMax / kMillisecond) continue;
      std::int64_t fired = 0;
      if (__builtin_add_overflow(e.created_ns, e.timeout_ms * kMillisecond, &fired)) continue;
      const Interval at = scene_.clock.at_utc(fired);
      consider({at.lo, at.widened(kWatchdogPoll).hi}, "watchdog_timeout");
    }
  }
  return out;
}

}  // namespace firstfault
