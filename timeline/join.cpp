#include "timeline/join.h"

#include <algorithm>
#include <set>
#include <string>

#include "timeline/coverage.h"
#include "timeline/episodes.h"
#include "timeline/group_words.h"
#include "timeline/groups.h"
#include "timeline/ledger.h"
#include "timeline/rank_table.h"
#include "timeline/scene.h"

namespace firstfault {

namespace {

std::vector<JobSource> list_sources(const Scene& scene) {
  std::vector<JobSource> out(scene.facts.sources.size());
  for (std::uint32_t s = 0; s < scene.facts.sources.size(); ++s) {
    JobSource& source = out[scene.names.position[s]];
    source.file = scene.names.file[s];
    source.info = scene.facts.sources[s].info;
    source.host = host_of_source(scene, s);
    source.span = span_of_source(scene, s);
  }
  return out;
}

// One wall clock for each host; those that no pair proved have an unknown width.
std::vector<ClockInfo> list_clocks(const Scene& scene, const std::vector<Host>& hosts) {
  std::vector<ClockInfo> out = scene.clock.infos();
  for (const Host& host : hosts) {
    const bool known = std::any_of(out.begin(), out.end(),
                                   [&](const ClockInfo& c) { return c.host == host.name; });
    if (known) continue;
    ClockInfo info;
    info.host = host.name;
    info.kind = "wall";
    info.offset_s = scene.clock.zone_offset_s();
    out.push_back(std::move(info));
  }
  std::sort(out.begin(), out.end(),
            [](const ClockInfo& a, const ClockInfo& b) { return a.host < b.host; });
  for (std::size_t i = 0; i < out.size(); ++i) out[i].id = "k" + std::to_string(i);
  return out;
}

std::string backend_of(const Facts& facts) {
  bool nccl = false, gloo = false;
  for (const SourceFacts& source : facts.sources) {
    nccl = nccl || !source.op_streams.empty();
    for (const RecordItem& item : source.records) {
      nccl = nccl || std::holds_alternative<CommInit>(item.record) ||
             std::holds_alternative<WorkFailure>(item.record);
      gloo = gloo || std::holds_alternative<FingerprintMismatch>(item.record) ||
             std::holds_alternative<BarrierReport>(item.record);
    }
    for (const FrDump& dump : source.flight_recorder) {
      for (const std::string& name : dump.strings) {
        nccl = nccl || name.starts_with("nccl:");
        gloo = gloo || name.starts_with("gloo:");
      }
    }
  }
  return nccl ? "nccl" : gloo ? "gloo" : "";
}

void state_settings(const Scene& scene, std::vector<Attempt>* attempts) {
  const auto& sources = scene.facts.sources;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    for (const RecordItem& item : sources[s].records) {
      const auto* setting = std::get_if<Setting>(&item.record);
      const auto* version = std::get_if<Version>(&item.record);
      if (setting == nullptr && version == nullptr) continue;
      const Said said = scene.said(s, item);
      Attempt& attempt = (*attempts)[said.attempt];
      RankSet ranks;
      if (said.rank >= 0 && !said.agent) {
        ranks.insert(said.rank);
      } else if (!said.host.empty() && sources[s].info.kind == SourceKind::kernel_log) {
        for (const RankInfo& info : attempt.ranks) {
          if (info.host == said.host) ranks.insert(info.rank);
        }
      }
      const std::string& name = setting != nullptr ? setting->name : version->component;
      const std::string& value = setting != nullptr ? setting->value : version->value;
      auto& table = setting != nullptr ? attempt.settings : attempt.versions;
      if (setting != nullptr && ranks.empty()) continue;  // the launcher's own
      table[name][value].merge(ranks);
      add_evidence(&attempt.setting_evidence[name][value], scene.evidence(s, item.quote));
    }
  }
}

// Versions before 2.22 print counts of AllGather and Broadcast in bytes.
bool mixes_nccl_versions(const Attempt& attempt) {
  const auto at = attempt.versions.find("nccl");
  if (at == attempt.versions.end()) return false;
  return std::count_if(at->second.begin(), at->second.end(),
                       [](const auto& v) { return !v.second.empty(); }) > 1;
}

// DETAIL mode's calls go into the ledger where no better source fills it.
void add_detail_calls(const std::vector<DetailCall>& calls, std::int32_t index, Attempt* attempt) {
  std::set<std::size_t> touched;
  const std::size_t whole =
      attempt->communicators.size();  // made if some call is of no known group
  for (const DetailCall& call : calls) {
    if (call.attempt != index || call.seq < 0) continue;
    const std::size_t g = call.group >= 0 ? static_cast<std::size_t>(call.group) : whole;
    if (g == attempt->communicators.size()) {
      Communicator c;
      c.id = "c" + std::to_string(g);
      c.size = attempt->world_size;
      c.members = RankSet::first(std::min(attempt->world_size, 1 << 16));
      attempt->communicators.push_back(std::move(c));
    }
    Communicator& c = attempt->communicators[g];
    if (!touched.contains(g) && !c.slots.empty()) continue;
    touched.insert(g);
    c.seq_kind = SeqKind::c10d;
    auto slot = std::find_if(c.slots.begin(), c.slots.end(),
                             [&](const Slot& s) { return s.seq == call.seq; });
    if (slot == c.slots.end()) {
      c.slots.push_back({call.seq, {}});
      slot = std::prev(c.slots.end());
    }
    slot->cells.try_emplace(call.rank, call.cell);
  }
  for (std::size_t g : touched) {
    Communicator& c = attempt->communicators[g];
    std::sort(c.slots.begin(), c.slots.end(),
              [](const Slot& a, const Slot& b) { return a.seq < b.seq; });
  }
}

bool launcher_ended(const Scene& scene, const RankTable& ranks, std::int32_t attempt) {
  bool signalled = false;
  const auto& sources = scene.facts.sources;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    for (const RecordItem& item : sources[s].records) {
      const auto* sent = std::get_if<SignalSent>(&item.record);
      if (sent != nullptr && sent->received && scene.said(s, item).attempt == attempt) {
        signalled = true;
      }
    }
  }
  return signalled &&
         std::none_of(ranks.exits().begin(), ranks.exits().end(), [&](const ExitSeen& e) {
           return e.attempt == attempt && !e.by_agent && failed(*e.exit);
         });
}

}  // namespace

Job join(const Facts& facts) {
  const Scene scene(facts);
  const RankTable ranks(scene);
  const Groups groups(scene);
  const Words words(scene, groups, ranks);

  Job job;
  job.sources = list_sources(scene);
  job.skipped = facts.skipped;
  for (Skipped& skipped : job.skipped) skipped.path = scene.names.relative(skipped.path);
  job.hosts = scene.identity.hosts().hosts();
  job.clocks = list_clocks(scene, job.hosts);
  job.conflicts = scene.identity.conflicts();
  job.backend = backend_of(facts);
  job.year_known = scene.clock.year_known();
  job.zone_is_utc = scene.clock.axis_is_utc();

  const std::int32_t count = static_cast<std::int32_t>(scene.attempts.count());
  for (std::int32_t a = 0; a < count; ++a) {
    Attempt attempt;
    attempt.number = scene.identity.attempt_numbers()[a];
    attempt.window = scene.attempts.window(a);
    attempt.world_size = scene.identity.world_size();
    bool all_well = !ranks.of(a).empty();
    for (const auto& [rank, notes] : ranks.of(a)) {
      attempt.ranks.push_back(notes.info);
      if (notes.last_step) attempt.last_step[rank] = *notes.last_step;
      if (notes.ended_well()) attempt.ended_well_ranks.insert(rank);
      all_well = all_well && notes.ended_well();
    }
    attempt.ended_well = all_well;
    attempt.launcher_ended_it = launcher_ended(scene, ranks, a);
    job.attempts.push_back(std::move(attempt));
  }
  state_settings(scene, &job.attempts);
  Episodes episodes = make_episodes(scene, groups, ranks);
  for (std::int32_t a = 0; a < count; ++a) {
    Attempt& attempt = job.attempts[a];
    attempt.communicators =
        make_ledger(scene, groups, words, ranks, a, mixes_nccl_versions(attempt));
    add_detail_calls(episodes.detail_calls, a, &attempt);
    attempt.episodes = std::move(episodes.of[a]);
    attempt.coverage = make_coverage(scene, groups, ranks, a);
  }
  return job;
}

}  // namespace firstfault
