#include "timeline/groups.h"

#include <algorithm>

#include "timeline/op_agreement.h"

namespace firstfault {

std::int32_t Groups::default_group(std::int32_t attempt) const {
  const auto& groups = groups_[attempt];
  std::int32_t world = -1;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    if (group.pg_desc == "default_pg" || (group.pg_name == "0" && group.pg_desc.empty())) {
      return static_cast<std::int32_t>(g);
    }
    if (world < 0 && group.size > 0 && group.size == scene_.identity.world_size()) {
      world = static_cast<std::int32_t>(g);
    }
  }
  return world;
}

std::int32_t Groups::of_name(std::int32_t attempt, std::int32_t rank, const std::string& pg_name,
                             const std::string& pg_desc) const {
  if (pg_name.empty() && pg_desc.empty()) return -1;
  const auto& groups = groups_[attempt];
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    if (!group.of_c10d) continue;
    if (!pg_name.empty() && group.pg_name != pg_name) continue;
    if (!pg_desc.empty() && !group.pg_desc.empty() && group.pg_desc != pg_desc) continue;
    if (pg_name.empty() && group.pg_desc != pg_desc) continue;
    if (rank >= 0 && group.complete() && !group.members.contains(rank)) continue;
    return static_cast<std::int32_t>(g);
  }
  return -1;
}

std::int32_t Groups::of_status(std::int32_t attempt, std::int32_t rank,
                               const GroupStatus& status) const {
  const std::int32_t named = of_name(attempt, rank, status.pg_name, status.pg_desc);
  if (named >= 0) return named;
  return status.pg_name.empty() && status.pg_id == 0 ? default_group(attempt) : -1;
}

std::int32_t Groups::of_failure(std::int32_t attempt, std::int32_t rank, std::uint32_t source,
                                const RecordItem& item, const WorkFailure& failure) const {
  // The next state line with that number; the "[Rank N]" of the failure line may be another group's
  // (one watchdog serves them all since torch 2.9).
  constexpr std::size_t kLookedAt = 64;
  const auto& statuses = statuses_[source];
  auto at = std::partition_point(statuses.begin(), statuses.end(), [&](const RecordItem* other) {
    return other->quote.offset < item.quote.offset;
  });
  for (std::size_t n = 0; at != statuses.end() && n < kLookedAt; ++at, ++n) {
    const auto& status = std::get<GroupStatus>((*at)->record);
    if ((*at)->speaker != item.speaker || status.failed_seq != failure.seq) continue;
    const std::int32_t g = of_status(attempt, rank, status);
    if (g >= 0) return g;
    break;
  }
  auto [known, fresh] = searched_.try_emplace(
      std::tuple(attempt, rank, failure.seq, failure.kind, failure.group_rank), -1);
  if (fresh) known->second = search(attempt, rank, failure);
  return known->second;
}

std::int32_t Groups::search(std::int32_t attempt, std::int32_t rank,
                            const WorkFailure& failure) const {
  const auto& groups = groups_[attempt];
  std::int32_t fits = -1, agrees = -1;
  int n_fits = 0, n_agrees = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!groups[g].members.contains(rank)) continue;
    const int agreement = failure_agrees(groups[g], rank, failure);
    if (agreement > 0) {
      ++n_agrees;
      agrees = static_cast<std::int32_t>(g);
    }
    const auto at = groups[g].global_of.find(failure.group_rank);
    if (at == groups[g].global_of.end() || at->second != rank || agreement < 0) continue;
    ++n_fits;
    fits = static_cast<std::int32_t>(g);
  }
  if (n_agrees == 1) return agrees;
  return n_agrees == 0 && n_fits == 1 ? fits : -1;
}

std::int32_t Groups::of_hash(std::int32_t attempt, std::uint64_t hash) const {
  const auto& groups = groups_[attempt];
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const CommInstance* instance : groups[g].instances) {
      if (instance->hash && *instance->hash == hash) return static_cast<std::int32_t>(g);
    }
  }
  return -1;
}

std::int32_t Groups::of_pointer(std::uint32_t source, std::uint32_t speaker, std::uint64_t comm,
                                std::uint64_t offset, std::int32_t* attempt) const {
  const CommInstance* instance =
      instance_at(scene_.identity.instances(), source, speaker, comm, offset);
  const auto at = of_instance_.find(instance);
  if (at == of_instance_.end()) return -1;
  *attempt = at->second.first;
  return at->second.second;
}

std::int32_t Groups::of_group_rank(std::int32_t attempt, std::int32_t rank,
                                   std::int32_t group_rank) const {
  if (rank < 0 || group_rank < 0) return -1;
  const auto& groups = groups_[attempt];
  const std::int32_t whole = default_group(attempt);
  if (whole >= 0 && rank == group_rank) return whole;
  std::int32_t found = -1;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto at = groups[g].global_of.find(group_rank);
    if (at == groups[g].global_of.end() || at->second != rank) continue;
    if (found >= 0) return -1;
    found = static_cast<std::int32_t>(g);
  }
  return found;
}

std::int32_t Groups::global_rank(std::int32_t attempt, std::int32_t group,
                                 std::int32_t group_rank) const {
  if (group < 0 || group_rank < 0) return -1;
  const Group& g = groups_[attempt][group];
  const auto at = g.global_of.find(group_rank);
  if (at != g.global_of.end()) return at->second;
  const auto next = g.global_of.upper_bound(group_rank);
  for (auto up = next; up != g.global_of.end(); ++up) {
    if (up->first == up->second) return group_rank;
  }
  return -1;
}

}  // namespace firstfault
