// Groups: the communicators of an attempt, each as one thing however many layers speak of it.
//
// NCCL's view (comm pointers joined by commId) and c10d's view (process groups joined by name,
// description and member set; process-local PG ids are never compared) become one Group when their
// members fit and, where several fit, when their operations agree.
//
//   Groups groups(scene);
//   std::int32_t g = groups.of_status(attempt, rank, status);   // index into groups.of(attempt)
//   groups.global_rank(attempt, g, 1)                           // "[Rank 1]" of tp1 is rank 3
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/rank_set.h"
#include "model/facts.h"
#include "timeline/scene.h"

namespace firstfault {

struct FrView {
  std::uint32_t source = 0;
  const FrDump* dump = nullptr;
  std::uint32_t group = 0;  // index into dump->groups
};

struct CollView {
  std::uint32_t source = 0;
  const OpStream* stream = nullptr;
};

struct Group {
  std::int32_t attempt = 0;
  std::string pg_name, pg_desc;
  std::optional<std::uint64_t> hash;
  std::int32_t size = 0;                               // 0 unknown
  std::map<std::int32_t, std::int32_t> global_of;      // group rank -> global rank
  RankSet members;                                     // global ranks known
  std::map<std::int32_t, FrView> fr;                   // by global rank
  std::map<std::int32_t, std::vector<CollView>> coll;  // by global rank, fullest log first
  std::vector<const CommInstance*> instances;
  bool of_nccl = false, of_c10d = false;

  bool complete() const { return size > 0 && static_cast<std::int32_t>(members.size()) == size; }
};

class Groups {
 public:
  explicit Groups(const Scene& scene);

  const std::vector<Group>& of(std::int32_t attempt) const { return groups_[attempt]; }

  // Index of a group in of(attempt), or -1.
  std::int32_t of_name(std::int32_t attempt, std::int32_t rank, const std::string& pg_name,
                       const std::string& pg_desc) const;
  std::int32_t of_status(std::int32_t attempt, std::int32_t rank, const GroupStatus& status) const;
  // A watchdog's line does not name its group: the GroupStatus line beside it does, else the only
  // group where that rank has such an operation.
  std::int32_t of_failure(std::int32_t attempt, std::int32_t rank, std::uint32_t source,
                          const RecordItem& item, const WorkFailure& failure) const;
  std::int32_t of_hash(std::int32_t attempt, std::uint64_t hash) const;
  std::int32_t of_pointer(std::uint32_t source, std::uint32_t speaker, std::uint64_t comm,
                          std::uint64_t offset, std::int32_t* attempt) const;
  // A group where global rank `rank` has group rank `group_rank`, if only one has; the default
  // group when that fits as well.
  std::int32_t of_group_rank(std::int32_t attempt, std::int32_t rank,
                             std::int32_t group_rank) const;
  std::int32_t default_group(std::int32_t attempt) const;

  // -1 unknown. Group ranks ascend with global ranks, so that a member whose group rank equals its
  // global rank proves that all smaller ones do.
  std::int32_t global_rank(std::int32_t attempt, std::int32_t group, std::int32_t group_rank) const;

  static std::string id(std::int32_t group) {
    return group < 0 ? std::string() : "c" + std::to_string(group);
  }

 private:
  friend class GroupBuilder;
  const Scene& scene_;
  std::vector<std::vector<Group>> groups_;  // [attempt]
  std::map<const CommInstance*, std::pair<std::int32_t, std::int32_t>> of_instance_;
  std::vector<std::vector<const RecordItem*>> statuses_;  // [source] by offset
  // Answers of of_failure's search, which many equal lines ask for: (attempt, rank, seq, kind,
  // group rank).
  mutable std::map<std::tuple<std::int32_t, std::int32_t, std::int64_t, OpKind, std::int32_t>,
                   std::int32_t>
      searched_;
  std::int32_t search(std::int32_t attempt, std::int32_t rank, const WorkFailure& failure) const;
};

}  // namespace firstfault
