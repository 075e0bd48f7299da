#include "timeline/scene.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace firstfault {

namespace {

// "ran for N milliseconds" counts from the enqueue, whose epoch time the Flight Recorder holds.
std::vector<ClockPair> watchdog_pairs(const Facts& facts, const Identity& identity) {
  struct Timeout {
    Stamp stamp;
    std::int64_t ran_ms;
    std::string host;
    OpKind kind;
  };
  std::multimap<std::tuple<std::int32_t, std::int64_t>, Timeout> timeouts;  // (rank, seq)
  for (std::uint32_t s = 0; s < facts.sources.size(); ++s) {
    for (const RecordItem& item : facts.sources[s].records) {
      const auto* failure = std::get_if<WorkFailure>(&item.record);
      if (failure == nullptr || failure->ran_ms < 0 || failure->seq < 0) continue;
      if (failure->ran_ms > kTimeMax / kMillisecond) continue;
      if (item.first.grade != StampGrade::printed || item.first.clock != Clock::wall) continue;
      const Voice& voice = identity.voice(s, item.speaker);
      if (voice.rank < 0) continue;
      const Process* process = identity.process(std::max(voice.attempt, 0), voice.rank);
      timeouts.emplace(std::tuple(voice.rank, failure->seq),
                       Timeout{item.first, failure->ran_ms, process ? process->host : voice.host,
                               failure->kind});
    }
  }
  std::vector<ClockPair> pairs;
  if (timeouts.empty()) return pairs;
  for (std::uint32_t s = 0; s < facts.sources.size(); ++s) {
    const std::int32_t rank = identity.voice(s, 0).rank;
    if (rank < 0) continue;
    const auto first = timeouts.lower_bound(std::tuple(rank, std::int64_t{0}));
    const auto behind = timeouts.upper_bound(std::tuple(rank, kTimeMax));
    if (first == behind) continue;
    const std::int64_t lowest = std::get<1>(first->first);
    const std::int64_t highest = std::get<1>(std::prev(behind)->first);
    for (const FrDump& dump : facts.sources[s].flight_recorder) {
      for (const FrEntry& entry : dump.entries) {
        if (entry.collective_seq < lowest || entry.collective_seq > highest) continue;
        auto [at, end] = timeouts.equal_range(std::tuple(rank, entry.collective_seq));
        for (; at != end; ++at) {
          if (at->second.kind != entry.kind || entry.created_ns <= 0) continue;
          pairs.push_back({at->second.stamp, at->second.ran_ms * kMillisecond, entry.created_ns,
                           at->second.host});
        }
      }
    }
  }
  return pairs;
}

}  // namespace

Scene::Scene(const Facts& facts_in)
    : facts(facts_in),
      names(facts),
      identity(facts),
      clock(facts, watchdog_pairs(facts, identity)),
      attempts(facts, identity, clock) {}

Said Scene::said(std::uint32_t source, const Item& item) const {
  const Voice& voice = identity.voice(source, item.speaker);
  Said out;
  out.rank = voice.rank;
  out.guess = voice.guess;
  out.agent = voice.agent;
  out.time = clock.at(item.first);
  out.attempt =
      voice.attempt >= 0 ? voice.attempt : attempts.place(source, item.quote.offset, out.time);
  out.host = voice.host;
  out.pid = voice.pid;
  if (const Process* process = identity.process(out.attempt, out.rank)) {
    if (!process->host.empty()) out.host = process->host;
    if (!process->pids.empty()) out.pid = process->pids.front();
  }
  return out;
}

void add_evidence(std::vector<Evidence>* list, Evidence evidence, std::size_t limit) {
  std::size_t from_source = 0;
  for (const Evidence& known : *list) {
    if (known.source != evidence.source) continue;
    ++from_source;
    if (known.quote.offset == evidence.quote.offset &&
        known.quote.record == evidence.quote.record) {
      return;
    }
  }
  if (list->size() < limit) {
    list->push_back(std::move(evidence));
    return;
  }
  if (from_source > 0) return;
  // A new source is worth more than a second place of one that is quoted already.
  for (std::size_t i = list->size(); i-- > 1;) {
    const bool twice =
        std::any_of(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const Evidence& e) { return e.source == (*list)[i].source; });
    if (twice) {
      (*list)[i] = std::move(evidence);
      return;
    }
  }
}

}  // namespace firstfault
