#include "timeline/identity.h"

#include <algorithm>

namespace firstfault {

const Voice& Identity::voice(std::uint32_t source, std::uint32_t speaker) const {
  static const Voice kNobody;
  if (source >= voices_.size() || speaker >= voices_[source].size()) return kNobody;
  return voices_[source][speaker];
}

const Process* Identity::process(std::int32_t attempt, std::int32_t rank) const {
  const std::pair key(attempt, rank);
  auto at = std::partition_point(processes_.begin(), processes_.end(), [&](const Process& p) {
    return std::pair(p.attempt, p.rank) < key;
  });
  return at != processes_.end() && at->attempt == attempt && at->rank == rank ? &*at : nullptr;
}

std::optional<ProcessMatch> Identity::find(std::int32_t attempt, std::int64_t pid,
                                           std::string_view host, std::string_view pci) const {
  const std::string wanted_host = hosts_.canonical(host);
  const Process* found = nullptr;
  bool several = false;
  auto consider = [&](const Process& p) {
    if (attempt >= 0 && p.attempt != attempt) return;
    if (!wanted_host.empty() && !p.host.empty() && p.host != wanted_host) return;
    if (!pci.empty() && !p.pci.empty() && p.pci != pci) return;
    if (pid < 0 && (pci.empty() || p.pci != pci)) return;
    if (found != nullptr) several = true;
    if (found == nullptr) found = &p;
  };
  if (pid >= 0) {
    const auto at = by_pid_.find(pid);
    if (at == by_pid_.end()) return std::nullopt;
    for (std::size_t i : at->second) consider(processes_[i]);
  } else {
    for (const Process& p : processes_) consider(p);
  }
  if (found == nullptr || several) return std::nullopt;
  return ProcessMatch{found->attempt, found->rank, found->host, found->pci};
}

std::int32_t Identity::only_rank_on(std::int32_t attempt, std::string_view host) const {
  std::int32_t rank = -1;
  for (const Process& p : processes_) {
    if (p.attempt != attempt || p.host != host) continue;
    if (rank >= 0) return -1;
    rank = p.rank;
  }
  return rank;
}

std::int32_t Identity::from_local(std::int32_t attempt, std::int32_t local_rank,
                                  bool* guess) const {
  *guess = false;
  if (local_rank < 0) return -1;
  for (std::int32_t a : {attempt, -1}) {
    const auto at = local_to_global_.find({a, local_rank});
    if (at != local_to_global_.end() && at->second >= 0) return at->second;
  }
  if (local_custom_refuted_) return -1;
  if (world_size_ > 0 && local_rank >= world_size_) return -1;
  *guess = !local_custom_confirmed_;
  return local_rank;
}

std::int32_t Identity::attempt_at(std::uint32_t source, std::uint64_t offset) const {
  if (source >= marks_.size() || marks_[source].empty()) return -1;
  const auto& marks = marks_[source];
  auto at = std::upper_bound(marks.begin(), marks.end(), offset,
                             [](std::uint64_t o, const auto& mark) { return o < mark.first; });
  return at == marks.begin() ? marks.front().second : std::prev(at)->second;
}

}  // namespace firstfault
