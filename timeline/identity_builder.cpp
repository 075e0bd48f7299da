// How voices get their ranks. The order of proofs is that of identity.h.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "base/text.h"
#include "timeline/identity.h"

namespace firstfault {

namespace {

constexpr std::int32_t kLargestWorld = 1 << 20;  // ranks beyond are garbage, not a job
constexpr std::size_t kMostConflicts = 256;

using ProcessKey = std::pair<std::string, std::int64_t>;  // host, pid

class Sets {  // disjoint sets
 public:
  explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

bool sane(std::int32_t rank) { return rank >= 0 && rank < kLargestWorld; }

// A launcher's word about a rank.
struct Placement {
  std::int32_t rank = -1, local_rank = -1;
  std::int64_t pid = -1;
  std::string host;  // canonical, "" unknown
  std::string by;
};

}  // namespace

class IdentityBuilder {
 public:
  IdentityBuilder(const Facts& facts, Identity& out) : facts_(facts), out_(out) {}

  void build() {
    out_.instances_ = comm_instances(facts_);
    collect_voices();
    collect_placements();
    collect_components();
    measure_world();
    find_attempts();
    for (int pass = 0; pass < 4 && resolve_pass(); ++pass) {
    }
    learn_customs();
    resolve_by_custom();
    while (resolve_pass()) {  // what a custom told may name a pid that other voices share
    }
    make_processes();
    for (const std::string& what : conflicts_) out_.conflicts_.push_back({what});
  }

 private:
  struct Hints {
    Speaker speaker;     // host canonical, path hints of the source filled in
    std::string folder;  // key of voices that are one process by their place, "" none
  };

  void conflict(std::string what) {
    if (conflicts_.size() < kMostConflicts) conflicts_.insert(std::move(what));
  }

  Voice& voice(std::size_t s, std::size_t i) { return out_.voices_[s][i]; }

  template <typename F>
  void each_voice(F f) {
    for (std::size_t s = 0; s < hints_.size(); ++s) {
      for (std::size_t i = 0; i < hints_[s].size(); ++i) f(s, i, hints_[s][i], out_.voices_[s][i]);
    }
  }

  void collect_voices() {
    for (const SourceFacts& source : facts_.sources) {
      for (const Speaker& speaker : source.speakers) out_.hosts_.add_host(speaker.host);
    }
    for (const SourceFacts& source : facts_.sources) {
      for (const RecordItem& item : source.records) {
        const auto* net = std::get_if<NetInterface>(&item.record);
        if (net == nullptr || item.speaker >= source.speakers.size()) continue;
        out_.hosts_.add_address(source.speakers[item.speaker].host, net->address);
      }
    }
    for (const SourceFacts& source : facts_.sources) {
      std::vector<Hints> row;
      std::vector<Speaker> speakers = source.speakers;
      if (speakers.empty()) speakers.emplace_back();
      for (Speaker speaker : speakers) {
        if (speaker.path_rank < 0) speaker.path_rank = source.info.path_rank;
        if (speaker.attempt < 0) speaker.attempt = source.info.attempt;
        speaker.host = out_.hosts_.canonical(speaker.host);
        if (!sane(speaker.global_rank)) speaker.global_rank = -1;
        if (!sane(speaker.path_rank)) speaker.path_rank = -1;
        Hints hints;
        if (!speaker.agent &&
            (speaker.path_rank >= 0 || speaker.local_rank >= 0 || speaker.task >= 0)) {
          hints.folder = std::string(dir_name(source.info.path)) + '\0' +
                         std::to_string(speaker.path_rank) + ',' +
                         std::to_string(speaker.local_rank) + ',' + std::to_string(speaker.task) +
                         ',' + std::to_string(speaker.attempt);
        }
        hints.speaker = std::move(speaker);
        row.push_back(std::move(hints));
      }
      std::vector<Voice> voices(row.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        voices[i].agent = row[i].speaker.agent;
        voices[i].host = row[i].speaker.host;
        voices[i].pid = row[i].speaker.pid;
        if (!voices[i].agent && voices[i].pid >= 0 && !voices[i].host.empty()) {
          hosts_with_ranks_.insert(voices[i].host);
          hosts_of_pid_[voices[i].pid].insert(voices[i].host);
        }
      }
      hints_.push_back(std::move(row));
      out_.voices_.push_back(std::move(voices));
    }
  }

  void collect_placements() {
    for (const SourceFacts& source : facts_.sources) {
      for (const RecordItem& item : source.records) {
        if (const auto* p = std::get_if<RankPlacement>(&item.record)) {
          placements_.push_back({p->global_rank, p->local_rank, p->pid,
                                 out_.hosts_.canonical(p->host), "a launcher"});
        } else if (const auto* e = std::get_if<ProcessExit>(&item.record)) {
          placements_.push_back({e->global_rank, e->local_rank, e->pid,
                                 out_.hosts_.canonical(e->host),
                                 e->reported_by.empty() ? "a launcher" : e->reported_by});
        }
      }
    }
    for (Placement& p : placements_) {
      if (!sane(p.rank)) p.rank = -1;
    }
  }

  // Processes that share communicators, directly or through others, are one start of the job.
  void collect_components() {
    std::map<ProcessKey, std::size_t> index;
    std::vector<ProcessKey> keys;
    instance_process_.resize(out_.instances_.size());
    for (std::size_t k = 0; k < out_.instances_.size(); ++k) {
      const CommInstance& c = out_.instances_[k];
      const Speaker& speaker = hints_[c.source][std::min<std::size_t>(
                                                    c.speaker, hints_[c.source].size() - 1)]
                                   .speaker;
      ProcessKey key(speaker.host, speaker.pid);
      if (speaker.pid < 0) {
        key = {"source " + std::to_string(c.source), static_cast<std::int64_t>(c.speaker)};
      }
      auto [at, fresh] = index.try_emplace(key, keys.size());
      if (fresh) keys.push_back(key);
      instance_process_[k] = at->second;
    }
    Sets sets(keys.size());
    std::map<std::uint64_t, std::size_t> by_comm;
    for (std::size_t k = 0; k < out_.instances_.size(); ++k) {
      if (out_.instances_[k].key == 0) continue;
      auto [at, fresh] = by_comm.try_emplace(out_.instances_[k].key, instance_process_[k]);
      if (!fresh) sets.join(at->second, instance_process_[k]);
    }
    component_.resize(keys.size());
    std::map<std::size_t, std::int32_t> size;
    for (std::size_t i = 0; i < keys.size(); ++i) ++size[component_[i] = sets.find(i)];
    for (const auto& [root, n] : size) largest_component_ = std::max(largest_component_, n);
  }

  void measure_world() {
    std::int32_t world = largest_component_;
    for (const CommInstance& c : out_.instances_) {
      if (c.nranks < kLargestWorld) world = std::max(world, c.nranks);
    }
    each_voice([&](std::size_t s, std::size_t, const Hints& h, const Voice&) {
      world = std::max(world, h.speaker.global_rank + 1);
      for (const FrDump& dump : facts_.sources[s].flight_recorder) {
        for (const FrGroup& group : dump.groups) {
          if (group.members && !group.members->empty() && sane(group.members->values().back())) {
            world = std::max(world, group.members->values().back() + 1);
          }
        }
      }
    });
    for (const Placement& p : placements_) world = std::max(world, p.rank + 1);
    if (world == 0) {
      each_voice([&](std::size_t, std::size_t, const Hints& h, const Voice&) {
        world = std::max({world, h.speaker.path_rank + 1, h.speaker.task + 1});
        if (h.speaker.local_rank < 1024) world = std::max(world, h.speaker.local_rank + 1);
      });
    }
    out_.world_size_ = std::min(world, kLargestWorld);
  }

  void find_attempts() {
    std::set<std::int32_t> folders;
    each_voice([&](std::size_t, std::size_t, const Hints& h, const Voice&) {
      if (!h.speaker.agent && h.speaker.attempt >= 0) folders.insert(h.speaker.attempt);
    });
    out_.marks_.resize(facts_.sources.size());
    if (!folders.empty()) {
      out_.attempt_numbers_.assign(folders.begin(), folders.end());
      std::map<ProcessKey, std::int32_t> by_process;
      each_voice([&](std::size_t, std::size_t, const Hints& h, Voice& v) {
        if (h.speaker.attempt < 0) return;
        v.attempt = static_cast<std::int32_t>(
            std::distance(folders.begin(), folders.find(h.speaker.attempt)));
        if (v.pid >= 0) by_process.try_emplace({v.host, v.pid}, v.attempt);
      });
      each_voice([&](std::size_t, std::size_t, const Hints&, Voice& v) {
        if (v.attempt >= 0 || v.agent) return;
        const auto at = by_process.find({v.host, v.pid});
        if (at != by_process.end()) v.attempt = at->second;
      });
    } else {
      attempts_by_components();
    }
    if (out_.attempt_numbers_.empty()) out_.attempt_numbers_ = {0};
    if (out_.attempt_numbers_.size() == 1) {
      each_voice([](std::size_t, std::size_t, const Hints&, Voice& v) { v.attempt = 0; });
    }
  }

  // A second Init of the world communicator by other processes is a restart.
  void attempts_by_components() {
    struct Start {
      std::int64_t time = kTimeMax;
      std::uint32_t source = 0;
      std::uint64_t offset = 0;
      std::set<std::int32_t> ranks;
    };
    std::map<std::size_t, Start> starts;  // by component
    for (std::size_t k = 0; k < out_.instances_.size(); ++k) {
      const CommInstance& c = out_.instances_[k];
      if (c.nranks != out_.world_size_) continue;
      auto [at, fresh] = starts.try_emplace(component_[instance_process_[k]]);
      Start& start = at->second;
      if (fresh) {
        start.source = c.source;
        start.offset = c.offset;
      }
      if (c.stamp.time.bounded_below()) start.time = std::min(start.time, c.stamp.time.lo);
      start.ranks.insert(c.comm_rank);
    }
    std::vector<std::pair<std::size_t, Start>> order(starts.begin(), starts.end());
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return std::tie(a.second.time, a.second.source, a.second.offset) <
             std::tie(b.second.time, b.second.source, b.second.offset);
    });
    std::map<std::size_t, std::int32_t> attempt_of;  // component -> attempt
    std::set<std::int32_t> seen;
    std::int32_t attempt = 0;
    for (const auto& [component, start] : order) {
      const bool again = std::any_of(start.ranks.begin(), start.ranks.end(),
                                     [&](std::int32_t r) { return seen.contains(r); });
      if (again) {
        ++attempt;
        seen.clear();
      }
      seen.insert(start.ranks.begin(), start.ranks.end());
      attempt_of[component] = attempt;
    }
    for (std::int32_t a = 0; a <= attempt; ++a) out_.attempt_numbers_.push_back(a);
    if (attempt == 0) return;
    std::map<ProcessKey, std::int32_t> by_process;
    for (std::size_t k = 0; k < out_.instances_.size(); ++k) {
      const auto at = attempt_of.find(component_[instance_process_[k]]);
      if (at == attempt_of.end()) continue;
      const CommInstance& c = out_.instances_[k];
      if (c.speaker >= out_.voices_[c.source].size()) continue;
      out_.marks_[c.source].emplace_back(c.offset, at->second);
      const Voice& v = voice(c.source, c.speaker);
      if (v.pid >= 0) by_process.try_emplace({v.host, v.pid}, at->second);
    }
    for (auto& marks : out_.marks_) std::sort(marks.begin(), marks.end());
    each_voice([&](std::size_t, std::size_t, const Hints&, Voice& v) {
      const auto at = by_process.find({v.host, v.pid});
      if (at != by_process.end()) v.attempt = at->second;
    });
  }

  // Is comm rank = global rank in this communicator? Only in one of the world's size that nobody's own
  // word contradicts.
  std::set<std::uint64_t> world_comms() const {
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

  void assign(Voice& v, std::int32_t rank, bool* changed) {
    v.rank = rank;
    v.guess = false;
    *changed = true;
  }

  // One round of rules 1 to 5 over all voices that have no rank yet.
  bool resolve_pass() {
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
  std::int32_t placed(std::int64_t pid, const std::string& host) const {
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
  void learn_customs() {
    each_voice([&](std::size_t s, std::size_t, const Hints& h, const Voice& v) {
      if (v.rank < 0 || v.agent) return;
      const bool dump = !facts_.sources[s].flight_recorder.empty();
      if (h.speaker.path_rank >= 0 && !dump) {
        if (h.speaker.path_rank == v.rank) {
          path_agrees_ = true;
        } else if (h.speaker.local_rank < 0 || h.speaker.path_rank != h.speaker.local_rank) {
          path_disagrees_ = true;
          conflict("path of " + std::string(base_name(dir_name(facts_.sources[s].info.path))) +
                   "/" + std::string(base_name(facts_.sources[s].info.path)) + " says rank " +
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

  void learn_local(std::int32_t attempt, std::int32_t local, std::int32_t rank) {
    (local == rank ? out_.local_custom_confirmed_ : out_.local_custom_refuted_) = true;
    for (std::int32_t a : {attempt, -1}) {
      auto [at, fresh] = out_.local_to_global_.try_emplace({a, local}, rank);
      if (!fresh && at->second != rank) at->second = -1;  // several nodes have this local rank
    }
  }

  void resolve_by_custom() {
    each_voice([&](std::size_t, std::size_t, const Hints& h, Voice& v) {
      if (v.rank >= 0 || v.agent) return;
      const SpeakerHint hints[] = {
          {h.speaker.path_rank, path_agrees_ && !path_disagrees_, path_disagrees_ && !path_agrees_},
          {h.speaker.task, task_agrees_ && !task_disagrees_, task_disagrees_ && !task_agrees_}};
      for (const SpeakerHint& hint : hints) {
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

  void make_processes() {
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
  }

  struct SpeakerHint {
    std::int32_t rank;
    bool confirmed, refuted;
  };

  const Facts& facts_;
  Identity& out_;
  std::vector<std::vector<Hints>> hints_;
  std::vector<Placement> placements_;
  std::set<std::string> conflicts_;
  std::set<std::string> hosts_with_ranks_;
  std::map<std::int64_t, std::set<std::string>> hosts_of_pid_;
  std::vector<std::size_t> instance_process_;  // instance -> process
  std::vector<std::size_t> component_;         // process -> component
  std::int32_t largest_component_ = 0;
  bool path_agrees_ = false, path_disagrees_ = false;
  bool task_agrees_ = false, task_disagrees_ = false;
};

Identity::Identity(const Facts& facts) { IdentityBuilder(facts, *this).build(); }

}  // namespace firstfault
