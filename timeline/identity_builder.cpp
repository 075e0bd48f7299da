// What voices, placements, communicators and attempts there are. See identity_resolve.cpp for
// ranks.
#include "timeline/identity_builder.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/text.h"

namespace firstfault {

namespace {

constexpr std::size_t kMostConflicts = 256;

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

}  // namespace

void IdentityBuilder::conflict(std::string what) {
  if (conflicts_.size() < kMostConflicts) conflicts_.insert(std::move(what));
}

void IdentityBuilder::build() {
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
  resolve_by_trees();
  while (resolve_pass()) {  // what a custom told may name a pid that other voices share
  }
  make_processes();
  for (const std::string& what : conflicts_) out_.conflicts_.push_back({what});
}

void IdentityBuilder::collect_voices() {
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
      if (!is_sane_rank(speaker.global_rank)) speaker.global_rank = -1;
      if (!is_sane_rank(speaker.path_rank)) speaker.path_rank = -1;
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

void IdentityBuilder::collect_placements() {
  for (const SourceFacts& source : facts_.sources) {
    for (const RecordItem& item : source.records) {
      if (const auto* p = std::get_if<RankPlacement>(&item.record)) {
        placements_.push_back(
            {p->global_rank, p->local_rank, p->pid, out_.hosts_.canonical(p->host), "a launcher"});
      } else if (const auto* e = std::get_if<ProcessExit>(&item.record)) {
        placements_.push_back({e->global_rank, e->local_rank, e->pid,
                               out_.hosts_.canonical(e->host),
                               e->reported_by.empty() ? "a launcher" : e->reported_by});
      }
    }
  }
  for (Placement& p : placements_) {
    if (!is_sane_rank(p.rank)) p.rank = -1;
  }
}

// Processes that share communicators, directly or through others, are one start of the job.
void IdentityBuilder::collect_components() {
  std::map<ProcessKey, std::size_t> index;
  std::vector<ProcessKey> keys;
  instance_process_.resize(out_.instances_.size());
  for (std::size_t k = 0; k < out_.instances_.size(); ++k) {
    const CommInstance& c = out_.instances_[k];
    const Speaker& speaker =
        hints_[c.source][std::min<std::size_t>(c.speaker, hints_[c.source].size() - 1)].speaker;
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

// One more than the largest rank that a report names: a rank of a group is below the world's size.
std::int32_t IdentityBuilder::named_ranks() const {
  std::int32_t largest = -1;
  const auto name = [&](std::int32_t rank) {
    if (is_sane_rank(rank)) largest = std::max(largest, rank);
  };
  for (const SourceFacts& source : facts_.sources) {
    for (const RecordItem& item : source.records) {
      if (const auto* b = std::get_if<BarrierReport>(&item.record)) {
        name(b->reporter);
        if (!b->missing.empty()) name(b->missing.values().back());
      } else if (const auto* w = std::get_if<StoreWait>(&item.record)) {
        name(w->waiter);
        name(w->publisher);
      } else if (const auto* g = std::get_if<GroupStatus>(&item.record)) {
        name(g->group_rank);
        name(g->signalled_by);
      } else if (const auto* f = std::get_if<WorkFailure>(&item.record)) {
        name(f->group_rank);
      } else if (const auto* m = std::get_if<FingerprintMismatch>(&item.record)) {
        name(m->reporter.group_rank);
        name(m->other.group_rank);
      } else if (const auto* t = std::get_if<TreePlace>(&item.record)) {
        name(t->rank);
      }
    }
  }
  return largest + 1;
}

void IdentityBuilder::measure_world() {
  std::int32_t world = largest_component_;
  for (const CommInstance& c : out_.instances_) {
    if (c.nranks < kLargestWorld) world = std::max(world, c.nranks);
  }
  each_voice([&](std::size_t s, std::size_t, const Hints& h, const Voice&) {
    world = std::max(world, h.speaker.global_rank + 1);
    for (const FrDump& dump : facts_.sources[s].flight_recorder) {
      for (const FrGroup& group : dump.groups) {
        if (group.members && !group.members->empty() &&
            is_sane_rank(group.members->values().back())) {
          world = std::max(world, group.members->values().back() + 1);
        }
      }
    }
  });
  for (const Placement& p : placements_) world = std::max(world, p.rank + 1);
  world = std::max(world, named_ranks());
  if (world == 0) {
    each_voice([&](std::size_t, std::size_t, const Hints& h, const Voice&) {
      world = std::max({world, h.speaker.path_rank + 1, h.speaker.task + 1});
      if (h.speaker.local_rank < 1024) world = std::max(world, h.speaker.local_rank + 1);
    });
  }
  out_.world_size_ = std::min(world, kLargestWorld);
}

void IdentityBuilder::find_attempts() {
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
void IdentityBuilder::attempts_by_components() {
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

Identity::Identity(const Facts& facts) { IdentityBuilder(facts, *this).build(); }

}  // namespace firstfault
