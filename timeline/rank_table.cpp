#include "timeline/rank_table.h"

#include <algorithm>
#include <tuple>

namespace firstfault {

namespace {

struct CodeSignal {
  std::int32_t code;
  const char* signal;
};
// What a shell makes of a child that a signal ended: 128 + number.
constexpr CodeSignal kShellCodes[] = {
    {129, "SIGHUP"}, {130, "SIGINT"}, {131, "SIGQUIT"}, {132, "SIGILL"},  {134, "SIGABRT"},
    {135, "SIGBUS"}, {136, "SIGFPE"}, {137, "SIGKILL"}, {139, "SIGSEGV"}, {143, "SIGTERM"}};

constexpr std::size_t kMostExits = 4;
constexpr std::int32_t kListedWorld = 1 << 16;  // larger worlds list only the ranks seen

void later(Interval* last, const Interval& time) {
  if (time.unknown()) return;
  if (last->unknown() || std::tie(time.hi, time.lo) > std::tie(last->hi, last->lo)) *last = time;
}

}  // namespace

std::string exit_signal(const ProcessExit& exit) {
  if (!exit.signal.empty()) return exit.signal;
  if (!exit.code) return "";
  for (const CodeSignal& row : kShellCodes) {
    if (row.code == *exit.code) return row.signal;
  }
  return "";
}

bool failed(const ProcessExit& exit) {
  return !exit.signal.empty() || (exit.code && *exit.code != 0);
}

RankTable::RankTable(const Scene& scene) : scene_(scene), notes_(scene.attempts.count()) {
  const std::int32_t world = scene.identity.world_size();
  for (std::size_t a = 0; a < notes_.size(); ++a) {
    for (std::int32_t r = 0; world <= kListedWorld && r < world; ++r) notes_[a][r].info.rank = r;
  }
  for (const Process& process : scene.identity.processes()) {
    RankNotes& notes = notes_[process.attempt][process.rank];
    notes.info.rank = process.rank;
    notes.info.host = process.host;
    notes.info.pid = process.pids.empty() ? -1 : process.pids.front();
    notes.info.local_rank = process.local_rank;
    notes.info.pci = process.pci;
    notes.info.gpu_index = process.gpu_index;
  }
  collect_signals();
  collect_exits();
  collect_words();
}

const RankNotes* RankTable::find(std::int32_t attempt, std::int32_t rank) const {
  const auto at = notes_[attempt].find(rank);
  return at == notes_[attempt].end() ? nullptr : &at->second;
}

bool RankTable::sent_by_agent(std::int64_t pid, std::string_view signal) const {
  return signalled_.contains({pid, std::string(signal)});
}

void RankTable::collect_signals() {
  for (const SourceFacts& source : scene_.facts.sources) {
    for (const RecordItem& item : source.records) {
      const auto* sent = std::get_if<SignalSent>(&item.record);
      if (sent != nullptr && !sent->received && sent->pid >= 0) {
        signalled_.emplace(sent->pid, sent->signal);
      }
    }
  }
}

void RankTable::collect_exits() {
  const auto& sources = scene_.facts.sources;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    for (const RecordItem& item : sources[s].records) {
      const auto* exit = std::get_if<ProcessExit>(&item.record);
      if (exit == nullptr) continue;
      ExitSeen seen;
      seen.exit = exit;
      seen.source = s;
      seen.item = &item;
      seen.time = scene_.clock.at(item.first);
      const auto match = scene_.identity.find(-1, exit->pid, "", "");
      seen.attempt = match ? match->attempt : scene_.said(s, item).attempt;
      seen.rank = exit->global_rank;
      if (seen.rank < 0 && match) seen.rank = match->rank;
      bool guess = false;
      if (seen.rank < 0) {
        seen.rank = scene_.identity.from_local(seen.attempt, exit->local_rank, &guess);
      }
      const std::string signal = exit_signal(*exit);
      seen.by_agent = exit->by_agent || (!signal.empty() && sent_by_agent(exit->pid, signal));
      exits_.push_back(seen);
    }
  }
  // Best first: who failed by himself, who is named first, who says most.
  std::vector<const ExitSeen*> order;
  for (const ExitSeen& seen : exits_) order.push_back(&seen);
  auto weight = [](const ExitSeen& e) {
    return std::tuple(!failed(*e.exit) || e.by_agent, !e.exit->named_first,
                      e.exit->global_rank < 0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const ExitSeen* a, const ExitSeen* b) { return weight(*a) < weight(*b); });
  for (const ExitSeen* seen : order) {
    const auto at = notes_[seen->attempt].find(seen->rank);
    if (at == notes_[seen->attempt].end()) continue;
    RankNotes& notes = at->second;
    if (!failed(*seen->exit) && seen->exit->code) notes.exited_zero = true;
    if (failed(*seen->exit) && !seen->by_agent) notes.failed_exit = true;
    if (notes.info.exits.empty()) notes.info.exit_time = seen->time;
    if (notes.info.exits.size() >= kMostExits) continue;
    notes.info.exits.push_back(*seen->exit);
    notes.info.exits.back().by_agent = seen->by_agent;
    notes.info.exit_evidence.push_back(scene_.evidence(seen->source, seen->item->quote));
  }
}

void RankTable::collect_words() {
  const auto& sources = scene_.facts.sources;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    const bool is_log =
        sources[s].flight_recorder.empty() && sources[s].info.kind != SourceKind::error_json;
    auto notes_of = [&](const Said& said) -> RankNotes* {
      if (said.rank < 0 || said.agent) return nullptr;
      const auto at = notes_[said.attempt].find(said.rank);
      if (at == notes_[said.attempt].end()) return nullptr;
      if (is_log) at->second.info.has_log = true;
      later(&at->second.info.last_seen, said.time);
      return &at->second;
    };
    for (const RecordItem& item : sources[s].records) {
      RankNotes* notes = notes_of(scene_.said(s, item));
      if (notes == nullptr) continue;
      if (std::holds_alternative<OrderlyExit>(item.record)) notes->info.orderly_exit = true;
      if (const auto* end = std::get_if<CommEnd>(&item.record)) {
        if (end->how == CommEnd::How::destroy) notes->destroyed = true;
      }
      if (const auto* progress = std::get_if<Progress>(&item.record)) {
        notes->last_step = std::max(notes->last_step.value_or(-1), progress->step);
      }
      if (const auto* stack = std::get_if<StackSnapshot>(&item.record)) {
        notes->info.last_stack = *stack;
      }
      if (std::holds_alternative<WorkFailure>(item.record) ||
          std::holds_alternative<GroupStatus>(item.record) ||
          std::holds_alternative<ExceptionReport>(item.record)) {
        notes->troubled = true;
      }
    }
    for (const EventItem& item : sources[s].events) {
      RankNotes* notes = notes_of(scene_.said(s, item));
      if (notes != nullptr) later(&notes->info.last_seen, scene_.clock.at(item.last));
    }
    for (const OpStream& stream : sources[s].op_streams) {
      if (stream.ops.rows().empty()) continue;
      Item item;
      item.speaker = stream.speaker;
      item.first = stream.ops.rows().back().stamp;
      item.quote.offset = stream.ops.rows().back().offset;
      notes_of(scene_.said(s, item));
    }
    // A voice that says nothing of note still is a log of its rank.
    for (std::uint32_t v = 0; is_log && v < sources[s].speakers.size(); ++v) {
      const Voice& voice = scene_.identity.voice(s, v);
      if (voice.agent || voice.rank < 0) continue;
      for (std::size_t a = 0; a < notes_.size(); ++a) {
        if (voice.attempt >= 0 && voice.attempt != static_cast<std::int32_t>(a)) continue;
        const auto at = notes_[a].find(voice.rank);
        if (at == notes_[a].end()) continue;
        at->second.info.has_log = true;
        if (sources[s].speakers.size() == 1) {
          later(&at->second.info.last_seen, scene_.clock.at(sources[s].last_stamp));
        }
      }
    }
  }
}

}  // namespace firstfault
