// How communicators are put together. Rules: groups.h.
#include <algorithm>
#include <set>
#include <tuple>

#include "base/hash.h"
#include "timeline/groups.h"
#include "timeline/op_agreement.h"

namespace firstfault {

namespace {

// What c10d's lines say of a group, for choosing among NCCL communicators that fit equally well.
struct Told {
  std::int32_t rank = -1;
  WorkFailure failure;
};

struct C10dNode {
  Group group;
  std::vector<Told> told;
  std::map<std::int32_t, std::int64_t> enqueued;  // by rank: GroupStatus::last_enqueued
};

bool is_default(const Group& group) {
  return group.pg_desc == "default_pg" || (group.pg_name == "0" && group.pg_desc.empty());
}

void add_member(Group* group, std::int32_t group_rank, std::int32_t rank) {
  if (rank < 0) return;
  group->members.insert(rank);
  if (group_rank >= 0) group->global_of.try_emplace(group_rank, rank);
}

void set_members(Group* group, const RankSet& members) {
  group->members = members;
  group->size = static_cast<std::int32_t>(members.size());
  group->global_of.clear();
  std::int32_t i = 0;
  for (std::int32_t rank : members) group->global_of[i++] = rank;
}

// Could these be one communicator, by members alone?
bool compatible(const Group& c10d, const Group& nccl) {
  if (c10d.size > 0 && c10d.size != nccl.size) return false;
  if (c10d.global_of.empty()) return false;
  for (const auto& [group_rank, rank] : c10d.global_of) {
    if (group_rank >= nccl.size) return false;
    const auto at = nccl.global_of.find(group_rank);
    if (at == nccl.global_of.end()) {
      if (!c10d.complete()) return false;
      continue;
    }
    if (at->second != rank) return false;
  }
  return true;
}

// Operations that both views tell alike; -1 if they contradict each other.
std::int64_t agreement(const C10dNode& c10d, const Group& nccl) {
  std::int64_t score = 0;
  for (const auto& [rank, view] : c10d.group.fr) {
    const auto coll = nccl.coll.find(rank);
    if (coll == nccl.coll.end() || coll->second.empty()) continue;
    const CollRows rows(*coll->second.front().stream);
    const FrRows entries(view);
    if (entries.empty() || !rows.numbered() || rows.total() == 0) continue;
    if (!alignment(entries, rows)) return -1;
    // The fuller the common history, the better.
    const std::int64_t last = entries.back().seq;
    score += 1 + std::min(last, rows.total()) - std::abs(last - rows.total());
  }
  for (const Told& told : c10d.told) {
    const int verdict = failure_agrees(nccl, told.rank, told.failure);
    if (verdict < 0) return -1;
    score += verdict;
  }
  for (const auto& [rank, enqueued] : c10d.enqueued) {
    const auto coll = nccl.coll.find(rank);
    if (coll == nccl.coll.end() || coll->second.empty()) continue;
    const CollRows rows(*coll->second.front().stream);
    if (rows.numbered() && enqueued > rows.total()) return -1;
    if (rows.numbered() && enqueued == rows.total()) ++score;
  }
  return score;
}

}  // namespace

class GroupBuilder {
 public:
  GroupBuilder(const Scene& scene, Groups& out) : scene_(scene), out_(out) {
    const std::size_t attempts = scene.attempts.count();
    nccl_.resize(attempts);
    c10d_.resize(attempts);
    out_.groups_.resize(attempts);
  }

  void build() {
    for (const SourceFacts& source : scene_.facts.sources) {
      std::vector<const RecordItem*> statuses;
      for (const RecordItem& item : source.records) {
        if (std::holds_alternative<GroupStatus>(item.record)) statuses.push_back(&item);
      }
      std::stable_sort(statuses.begin(), statuses.end(),
                       [](const RecordItem* a, const RecordItem* b) {
                         return a->quote.offset < b->quote.offset;
                       });
      out_.statuses_.push_back(std::move(statuses));
    }
    collect_instances();
    collect_streams();
    collect_dumps();
    collect_lines();
    for (std::size_t a = 0; a < nccl_.size(); ++a) {
      complete_default(a);
      marry(a);
      publish(a);
    }
  }

 private:
  void collect_instances() {
    for (const CommInstance& c : scene_.identity.instances()) {
      const Voice& voice = scene_.identity.voice(c.source, c.speaker);
      const std::int32_t attempt =
          voice.attempt >= 0 ? voice.attempt
                             : scene_.attempts.place(c.source, c.offset, scene_.clock.at(c.stamp));
      std::uint64_t key = c.key;
      if (key == 0) {  // known to one process only
        key = hash_combine(hash_combine(hash_combine(9, static_cast<std::uint64_t>(voice.pid)),
                                        hash_bytes(voice.host)),
                           hash_combine(c.comm, static_cast<std::uint64_t>(voice.rank)));
      }
      Group& group = nccl_[attempt][key];
      group.attempt = attempt;
      group.of_nccl = true;
      group.size = std::max(group.size, c.nranks);
      if (c.hash) group.hash = c.hash;
      add_member(&group, c.comm_rank, voice.rank);
      group.instances.push_back(&c);
      key_of_[&c] = {attempt, key};
    }
  }

  void collect_streams() {
    const auto& sources = scene_.facts.sources;
    std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>, std::uint64_t> nth;
    for (std::uint32_t s = 0; s < sources.size(); ++s) {
      for (const OpStream& stream : sources[s].op_streams) {
        const Voice& voice = scene_.identity.voice(s, stream.speaker);
        if (voice.rank < 0 || stream.ops.rows().empty()) continue;
        const OpRow& first = stream.ops.rows().front();
        const CommInstance* instance =
            instance_at(scene_.identity.instances(), s, stream.speaker, stream.comm, first.offset);
        std::int32_t attempt = voice.attempt;
        std::uint64_t key = 0;
        if (instance != nullptr) {
          std::tie(attempt, key) = key_of_.at(instance);
        } else if (stream.nranks > 0 && stream.nranks == scene_.identity.world_size()) {
          // No Init line in the log: the n-th communicator of all ranks in each process is one.
          if (attempt < 0) {
            attempt = scene_.attempts.place(s, first.offset, scene_.clock.at(first.stamp));
          }
          key = hash_combine(11, ++nth[{attempt, voice.rank, s}]);
        } else {
          continue;
        }
        Group& group = nccl_[attempt][key];
        group.attempt = attempt;
        group.of_nccl = true;
        group.size = std::max(group.size, stream.nranks);
        if (instance == nullptr) add_member(&group, voice.rank, voice.rank);
        group.coll[voice.rank].push_back({s, &stream});
      }
    }
    for (auto& groups : nccl_) {
      for (auto& [key, group] : groups) {
        for (auto& [rank, views] : group.coll) {
          std::stable_sort(views.begin(), views.end(), [](const CollView& a, const CollView& b) {
            return a.stream->ops.total() > b.stream->ops.total();
          });
        }
      }
    }
  }

  C10dNode& node(std::int32_t attempt, const std::string& name, const std::string& desc,
                 std::int32_t group_rank, std::int32_t rank, const RankSet* members) {
    for (C10dNode& n : c10d_[attempt]) {
      if (n.group.pg_name != name) continue;
      const bool descs = n.group.pg_desc == desc || n.group.pg_desc.empty() || desc.empty();
      if (!descs) continue;
      if (members != nullptr) {
        if (n.group.complete() ? n.group.members != *members
                               : !members->contains_all(n.group.members)) {
          continue;
        }
      } else if (n.group.complete()) {
        if (rank >= 0 && !n.group.members.contains(rank)) continue;
      } else if (group_rank >= 0) {
        const auto at = n.group.global_of.find(group_rank);
        if (at != n.group.global_of.end() && at->second != rank) continue;
      }
      if (n.group.pg_desc.empty()) n.group.pg_desc = desc;
      return n;
    }
    C10dNode fresh;
    fresh.group.attempt = attempt;
    fresh.group.pg_name = name;
    fresh.group.pg_desc = desc;
    fresh.group.of_c10d = true;
    c10d_[attempt].push_back(std::move(fresh));
    return c10d_[attempt].back();
  }

  void collect_dumps() {
    const auto& sources = scene_.facts.sources;
    for (bool with_members : {true, false}) {
      for (std::uint32_t s = 0; s < sources.size(); ++s) {
        for (const FrDump& dump : sources[s].flight_recorder) {
          const Voice& voice = scene_.identity.voice(s, 0);
          if (voice.rank < 0) continue;
          const std::int32_t attempt = attempt_of_dump(s, dump);
          for (std::uint32_t g = 0; g < dump.groups.size(); ++g) {
            const FrGroup& group = dump.groups[g];
            if (group.members.has_value() != with_members) continue;
            const std::string desc = group.desc == "undefined" ? "" : group.desc;
            C10dNode& n = node(attempt, group.name, desc, -1, voice.rank,
                               with_members ? &*group.members : nullptr);
            if (with_members && !n.group.complete()) set_members(&n.group, *group.members);
            if (!with_members && !n.group.complete()) add_member(&n.group, -1, voice.rank);
            n.group.fr.try_emplace(voice.rank, FrView{s, &dump, g});
          }
        }
      }
    }
  }

  std::int32_t attempt_of_dump(std::uint32_t s, const FrDump& dump) const {
    const Voice& voice = scene_.identity.voice(s, 0);
    if (voice.attempt >= 0) return voice.attempt;
    Interval last;
    if (dump.last_created_ns > 0) last = scene_.clock.at_utc(dump.last_created_ns);
    return scene_.attempts.place(s, 0, last);
  }

  void collect_lines() {
    const auto& sources = scene_.facts.sources;
    for (std::uint32_t s = 0; s < sources.size(); ++s) {
      // The last watchdog line of each speaker, until its GroupStatus names the group.
      std::map<std::uint32_t, WorkFailure> pending;
      for (const RecordItem& item : sources[s].records) {
        const auto* failure = std::get_if<WorkFailure>(&item.record);
        if (failure != nullptr) {
          pending[item.speaker] = *failure;
          continue;
        }
        const auto* status = std::get_if<GroupStatus>(&item.record);
        const auto* wait = std::get_if<StoreWait>(&item.record);
        if (status == nullptr && (wait == nullptr || wait->pg_name.empty())) continue;
        const Said said = scene_.said(s, item);
        if (said.rank < 0) continue;
        if (wait != nullptr) {
          C10dNode& n = node(said.attempt, wait->pg_name, "", wait->waiter, said.rank, nullptr);
          if (!n.group.complete()) add_member(&n.group, wait->waiter, said.rank);
          continue;
        }
        std::string name = status->pg_name;
        if (name.empty() && status->pg_id == 0) name = "0";
        if (name.empty() && status->pg_desc.empty()) continue;
        C10dNode& n =
            node(said.attempt, name, status->pg_desc, status->group_rank, said.rank, nullptr);
        if (!n.group.complete()) add_member(&n.group, status->group_rank, said.rank);
        if (status->last_enqueued >= 0) {
          std::int64_t& enqueued = n.enqueued.try_emplace(said.rank, -1).first->second;
          enqueued = std::max(enqueued, status->last_enqueued);
        }
        const auto open = pending.find(item.speaker);
        if (open != pending.end() && open->second.seq == status->failed_seq) {
          n.told.push_back({said.rank, open->second});
          pending.erase(open);
        }
      }
    }
  }

  // The default group, and any communicator of the world's size, holds every rank of the job.
  void complete_default(std::size_t attempt) {
    const std::int32_t world = scene_.identity.world_size();
    if (world <= 0) return;
    for (auto& [key, group] : nccl_[attempt]) {
      if (group.size != world) continue;
      const bool ordered = std::all_of(group.global_of.begin(), group.global_of.end(),
                                       [](const auto& m) { return m.first == m.second; });
      if (ordered) {
        set_members(&group, RankSet::first(world));
      } else {
        group.members = RankSet::first(world);
      }
    }
    for (C10dNode& n : c10d_[attempt]) {
      if (is_default(n.group) && !n.group.complete()) set_members(&n.group, RankSet::first(world));
    }
  }

  static void absorb(Group* c10d, Group* nccl) {
    if (c10d->size == 0) c10d->size = nccl->size;
    c10d->hash = nccl->hash;
    c10d->of_nccl = true;
    for (const auto& [group_rank, rank] : nccl->global_of) add_member(c10d, group_rank, rank);
    c10d->coll = std::move(nccl->coll);
    c10d->instances = std::move(nccl->instances);
  }

  void marry(std::size_t attempt) {
    auto& nccl = nccl_[attempt];
    // Groups with the most to say choose first.
    std::vector<std::size_t> order(c10d_[attempt].size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    auto weight = [&](std::size_t i) {
      const C10dNode& n = c10d_[attempt][i];
      return std::tuple(n.group.complete(), n.group.fr.size(), n.told.size() + n.enqueued.size());
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
    for (std::size_t i : order) {
      C10dNode& n = c10d_[attempt][i];
      std::vector<std::uint64_t> best;
      std::int64_t best_score = -1;
      for (const auto& [key, group] : nccl) {
        if (!compatible(n.group, group)) continue;
        const std::int64_t score = agreement(n, group);
        if (score < 0 || score < best_score) continue;
        if (score > best_score) best.clear();
        best_score = score;
        best.push_back(key);
      }
      // A default group without a single fact of its own would take any communicator of its size.
      if (best.size() != 1) continue;
      const auto at = nccl.find(best.front());
      married_[{attempt, best.front()}] = i;
      absorb(&n.group, &at->second);
      nccl.erase(at);
    }
  }

  void publish(std::size_t attempt) {
    struct Entry {
      Group group;
      std::set<std::uint64_t> keys;
    };
    std::vector<Entry> all;
    for (std::size_t i = 0; i < c10d_[attempt].size(); ++i) {
      all.push_back({std::move(c10d_[attempt][i].group), {}});
    }
    for (const auto& [key, i] : married_) {
      if (key.first == attempt) all[i].keys.insert(key.second);
    }
    for (auto& [key, group] : nccl_[attempt]) all.push_back({std::move(group), {key}});
    std::stable_sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
      const std::int32_t size_a = -a.group.size, size_b = -b.group.size;
      return std::tie(size_a, a.group.members, a.group.pg_name, a.group.pg_desc, a.group.hash) <
             std::tie(size_b, b.group.members, b.group.pg_name, b.group.pg_desc, b.group.hash);
    });
    std::map<std::uint64_t, std::int32_t> index;
    for (std::size_t g = 0; g < all.size(); ++g) {
      for (std::uint64_t key : all[g].keys) index[key] = static_cast<std::int32_t>(g);
      out_.groups_[attempt].push_back(std::move(all[g].group));
    }
    for (const auto& [instance, place] : key_of_) {
      if (place.first != static_cast<std::int32_t>(attempt)) continue;
      const auto at = index.find(place.second);
      if (at != index.end()) out_.of_instance_[instance] = {place.first, at->second};
    }
  }

  const Scene& scene_;
  Groups& out_;
  std::vector<std::map<std::uint64_t, Group>> nccl_;  // [attempt] by key
  std::vector<std::vector<C10dNode>> c10d_;           // [attempt]
  std::map<const CommInstance*, std::pair<std::int32_t, std::uint64_t>> key_of_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> married_;
};

Groups::Groups(const Scene& scene) : scene_(scene) { GroupBuilder(scene, *this).build(); }

}  // namespace firstfault
