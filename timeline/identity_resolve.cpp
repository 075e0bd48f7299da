// From what voices say of themselves and of each other to ranks and processes.
#include <algorithm>

#include "base/text.h"
#include "timeline/identity_builder.h"

namespace firstfault {

namespace {

// A number that may be a rank, and what other voices of the job say of such numbers.
struct Hint {
  std::int32_t rank;
  bool confirmed, refuted;
};

}  // namespace

// Is comm rank = global rank in this communicator? Only in one of the world's size that nobody's
// own word contradicts.
std::set<std::uint64_t> IdentityBuilder::world_comms() const {
  std::set<std::uint64_t> good, bad;
  for (const CommInstance& c : out_.instances_) {
    if (c.nranks != out_.world_size_ || c.key == 0) continue;
    good.insert(c.key);
    if (c.speaker >= out_.voices_[c.source].size()) continue;
    const Voice& v = out_.voices_[c.source][c.speaker];
    if (v.rank >= 0 && v.rank != c.comm_rank) bad.insert(c.key);
  }
  for (std::uint64_t key : bad) good.erase(key);
  return good;
}

void IdentityBuilder::assign(Voice& v, std::int32_t rank, bool* changed) {
  v.rank = rank;
  v.guess = false;
  *changed = true;
}

// One round of rules 1 to 5 over all voices that have no rank yet.
bool IdentityBuilder::resolve_pass() {
  bool changed = false;
  each_voice([&](std::size_t s, std::size_t, const Hints& h, Voice& v) {
    if (v.rank >= 0 || v.agent) return;
    if (h.speaker.global_rank >= 0) {
      assign(v, h.speaker.global_rank, &changed);
      return;
    }
    if (h.speaker.path_rank < 0) return;
    for (const FrDump& dump : facts_.sources[s].flight_recorder) {
      for (const FrGroup& group : dump.groups) {
        if (v.rank < 0 && group.members && group.members->contains(h.speaker.path_rank)) {
          assign(v, h.speaker.path_rank, &changed);
        }
      }
    }
  });
  // What is known of processes, folders and sources.
  std::map<ProcessKey, std::int32_t> by_process;
  std::map<std::string, std::set<std::int32_t>> by_folder;
  std::vector<std::set<std::int32_t>> by_source(hints_.size());
  std::vector<std::set<std::int64_t>> pids(hints_.size());
  auto learn = [&](const Voice& v, std::int32_t rank) {
    if (v.pid < 0 || v.host.empty()) return;
    auto [at, fresh] = by_process.try_emplace({v.host, v.pid}, rank);
    if (!fresh && at->second != rank) {
      conflict("process " + std::to_string(v.pid) + " on " + v.host + " is rank " +
               std::to_string(at->second) + " and rank " + std::to_string(rank));
    }
  };
  each_voice([&](std::size_t s, std::size_t, const Hints& h, const Voice& v) {
    if (v.agent) return;
    if (v.pid >= 0) pids[s].insert(v.pid);
    if (v.rank < 0 || v.guess) return;
    learn(v, v.rank);
    if (!h.folder.empty()) by_folder[h.folder].insert(v.rank);
    by_source[s].insert(v.rank);
  });
  const std::set<std::uint64_t> worlds = world_comms();
  for (const CommInstance& c : out_.instances_) {
    if (!worlds.contains(c.key) || c.speaker >= out_.voices_[c.source].size()) continue;
    Voice& v = voice(c.source, c.speaker);
    if (v.agent) continue;
    if (v.rank < 0) assign(v, c.comm_rank, &changed);
    if (v.rank == c.comm_rank) learn(v, c.comm_rank);
  }
  each_voice([&](std::size_t s, std::size_t, const Hints& h, Voice& v) {
    if (v.rank >= 0 || v.agent) return;
    if (v.pid >= 0) {
      const auto at = by_process.find({v.host, v.pid});
      if (at != by_process.end()) {
        assign(v, at->second, &changed);
        return;
      }
      if (const std::int32_t rank = placed(v.pid, v.host); rank >= 0) {
        assign(v, rank, &changed);
        return;
      }
    }
    if (!h.folder.empty()) {
      const auto at = by_folder.find(h.folder);
      if (at != by_folder.end() && at->second.size() == 1) {
        assign(v, *at->second.begin(), &changed);
        return;
      }
    }
    const SourceKind kind = facts_.sources[s].info.kind;
    const bool own_file = kind == SourceKind::rank_log || kind == SourceKind::nccl_log;
    if (own_file && by_source[s].size() == 1 && pids[s].size() <= 1 && h.speaker.task < 0 &&
        h.speaker.local_rank < 0) {
      assign(v, *by_source[s].begin(), &changed);
    }
  });
  return changed;
}

// The rank that launchers give to a pid; -1 if none, or if several hosts have that pid.
std::int32_t IdentityBuilder::placed(std::int64_t pid, const std::string& host) const {
  std::int32_t rank = -1;
  for (const Placement& p : placements_) {
    if (p.pid != pid || p.rank < 0) continue;
    if (!p.host.empty() && !host.empty() && p.host != host && hosts_with_ranks_.contains(p.host)) {
      continue;
    }
    if (rank >= 0 && rank != p.rank) return -1;
    rank = p.rank;
  }
  if (rank < 0 || host.empty()) return rank;
  const auto hosts = hosts_of_pid_.find(pid);
  return hosts != hosts_of_pid_.end() && hosts->second.size() > 1 ? -1 : rank;
}

// Do numbers in paths and local ranks mean global ranks in this job?
void IdentityBuilder::learn_customs() {
  each_voice([&](std::size_t s, std::size_t, const Hints& h, const Voice& v) {
    if (v.rank < 0 || v.agent) return;
    const bool dump = !facts_.sources[s].flight_recorder.empty();
    if (h.speaker.path_rank >= 0 && !dump) {
      if (h.speaker.path_rank == v.rank) {
        path_agrees_ = true;
      } else if (h.speaker.local_rank < 0 || h.speaker.path_rank != h.speaker.local_rank) {
        path_disagrees_ = true;
        conflict("path of " + std::string(base_name(dir_name(facts_.sources[s].info.path))) + "/" +
                 std::string(base_name(facts_.sources[s].info.path)) + " says rank " +
                 std::to_string(h.speaker.path_rank) + ", its content rank " +
                 std::to_string(v.rank));
      } else {
        path_disagrees_ = true;
      }
    }
    if (h.speaker.task >= 0) {
      (h.speaker.task == v.rank ? task_agrees_ : task_disagrees_) = true;
    }
    if (h.speaker.local_rank >= 0) learn_local(v.attempt, h.speaker.local_rank, v.rank);
  });
  for (const Placement& p : placements_) {
    if (p.rank >= 0 && p.local_rank >= 0) learn_local(-1, p.local_rank, p.rank);
  }
}

void IdentityBuilder::learn_local(std::int32_t attempt, std::int32_t local, std::int32_t rank) {
  (local == rank ? out_.local_custom_confirmed_ : out_.local_custom_refuted_) = true;
  for (std::int32_t a : {attempt, -1}) {
    auto [at, fresh] = out_.local_to_global_.try_emplace({a, local}, rank);
    if (!fresh && at->second != rank) at->second = -1;  // several nodes have this local rank
  }
}

void IdentityBuilder::resolve_by_custom() {
  each_voice([&](std::size_t, std::size_t, const Hints& h, Voice& v) {
    if (v.rank >= 0 || v.agent) return;
    const Hint hints[] = {
        {h.speaker.path_rank, path_agrees_ && !path_disagrees_, path_disagrees_ && !path_agrees_},
        {h.speaker.task, task_agrees_ && !task_disagrees_, task_disagrees_ && !task_agrees_}};
    for (const Hint& hint : hints) {
      if (v.rank >= 0 || hint.rank < 0 || hint.refuted) continue;
      if (hint.rank >= out_.world_size_) continue;
      v.rank = hint.rank;
      v.guess = !hint.confirmed;
    }
    if (v.rank >= 0 && !v.guess) return;
    bool guess = false;
    const std::int32_t local = out_.from_local(v.attempt, h.speaker.local_rank, &guess);
    if (local >= 0 && (v.rank < 0 || !guess)) {
      v.rank = local;
      v.guess = guess;
    }
  });
}

// Where a process has no Init line, the first tree it stands in gives its rank, as a guess: the
// communicator may be a part of the job, and then several processes say the same rank.
void IdentityBuilder::resolve_by_trees() {
  std::set<ProcessKey> known;
  for (const CommInstance& c : out_.instances_) {
    if (c.speaker >= hints_[c.source].size()) continue;
    const Speaker& s = hints_[c.source][c.speaker].speaker;
    known.emplace(s.host, s.pid);
  }
  std::set<std::pair<std::int32_t, std::int32_t>> taken;  // attempt, rank
  each_voice([&](std::size_t, std::size_t, const Hints&, const Voice& v) {
    if (v.rank >= 0) taken.emplace(v.attempt, v.rank);
  });
  std::map<ProcessKey, std::int32_t> first;
  std::map<std::int32_t, int> processes_of;  // rank -> processes that say it
  for (std::size_t s = 0; s < facts_.sources.size(); ++s) {
    for (const RecordItem& item : facts_.sources[s].records) {
      const auto* tree = std::get_if<TreePlace>(&item.record);
      if (tree == nullptr || !is_sane_rank(tree->rank) || item.speaker >= hints_[s].size())
        continue;
      const Speaker& speaker = hints_[s][item.speaker].speaker;
      const ProcessKey key(speaker.host, speaker.pid);
      if (speaker.pid < 0 || known.contains(key)) continue;
      if (first.try_emplace(key, tree->rank).second) ++processes_of[tree->rank];
    }
  }
  each_voice([&](std::size_t, std::size_t, const Hints&, Voice& v) {
    if (v.rank >= 0 || v.agent || v.pid < 0) return;
    const auto at = first.find({v.host, v.pid});
    if (at == first.end() || processes_of[at->second] > 1 ||
        taken.contains({v.attempt, at->second}))
      return;
    v.rank = at->second;
    v.guess = true;
  });
}

void IdentityBuilder::make_processes() {
  std::map<std::pair<std::int32_t, std::int32_t>, Process> made;
  auto at = [&](std::int32_t attempt, std::int32_t rank) -> Process& {
    Process& p = made[{attempt, rank}];
    p.attempt = attempt;
    p.rank = rank;
    return p;
  };
  std::map<std::int64_t, std::set<std::pair<std::int32_t, std::int32_t>>> owners;  // pid -> process
  for (bool guess : {false, true}) {
    each_voice([&](std::size_t, std::size_t, const Hints& h, const Voice& v) {
      if (v.rank < 0 || v.agent || v.attempt < 0 || v.guess != guess) return;
      Process& p = at(v.attempt, v.rank);
      if (h.speaker.local_rank >= 0 && p.local_rank < 0) p.local_rank = h.speaker.local_rank;
      if (v.pid < 0) return;
      const bool nccl = !v.host.empty();
      if (nccl && p.host.empty()) p.host = v.host;
      const bool known = std::find(p.pids.begin(), p.pids.end(), v.pid) != p.pids.end();
      if (!known) p.pids.insert(nccl && p.pids.empty() ? p.pids.begin() : p.pids.end(), v.pid);
      owners[v.pid].insert({v.attempt, v.rank});
    });
  }
  for (const CommInstance& c : out_.instances_) {
    if (c.speaker >= out_.voices_[c.source].size()) continue;
    const Voice& v = voice(c.source, c.speaker);
    if (v.rank < 0 || v.attempt < 0) continue;
    Process& p = at(v.attempt, v.rank);
    if (!c.pci.empty()) p.pci = c.pci;
    if (c.cuda_device >= 0) p.gpu_index = c.cuda_device;
  }
  const auto last = static_cast<std::int32_t>(out_.attempt_numbers_.size()) - 1;
  for (const Placement& pl : placements_) {
    if (pl.rank < 0) continue;
    std::int32_t attempt = last;
    const auto owner = owners.find(pl.pid);
    if (owner != owners.end()) {
      for (const auto& [a, r] : owner->second) {
        if (r == pl.rank) attempt = a;
      }
    }
    Process& p = at(attempt, pl.rank);
    if (p.local_rank < 0) p.local_rank = pl.local_rank;
    if (p.host.empty()) p.host = pl.host;
    if (pl.pid < 0 || std::find(p.pids.begin(), p.pids.end(), pl.pid) != p.pids.end()) continue;
    if (!p.pids.empty()) {
      conflict("rank " + std::to_string(pl.rank) + " is pid " + std::to_string(pl.pid) + " by " +
               pl.by + ", pid " + std::to_string(p.pids.front()) + " by its own log");
    }
    p.pids.push_back(pl.pid);
  }
  for (auto& [key, process] : made) {
    if (!process.host.empty()) out_.hosts_.add_host(process.host);
    out_.processes_.push_back(std::move(process));
  }
  for (std::size_t i = 0; i < out_.processes_.size(); ++i) {
    for (std::int64_t pid : out_.processes_[i].pids) out_.by_pid_[pid].push_back(i);
  }
  for (std::size_t s = 0; s < facts_.sources.size(); ++s) {
    const SourceKind kind = facts_.sources[s].info.kind;
    if (kind == SourceKind::kernel_log || kind == SourceKind::scheduler_log) continue;
    for (const Voice& v : out_.voices_[s]) {
      if (!v.agent && v.rank < 0 && v.pid >= 0) out_.loose_pids_.insert(v.pid);
    }
    for (const RecordItem& item : facts_.sources[s].records) {
      const auto* exception = std::get_if<GpuException>(&item.record);
      if (exception != nullptr && exception->pid >= 0 && !out_.by_pid_.contains(exception->pid)) {
        out_.loose_pids_.insert(exception->pid);
      }
    }
  }
}

}  // namespace firstfault
