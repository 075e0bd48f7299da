// One Flight Recorder dump (PyTorch's ring buffer of collectives), as read from a pickle or JSON
// file.
//
// Format: docs/formats, "Flight Recorder" (FR format 1.1 to 2.10, torch 2.2 to 2.14). The rank is
// not inside the file; the process-group ids of entries are local to the process: groups are
// matched between ranks by name, description and member set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/rank_set.h"
#include "model/operation.h"

namespace firstfault {

struct FrFrame {
  std::string function;
  std::string file;
  std::int32_t line = 0;
  friend bool operator==(const FrFrame&, const FrFrame&) = default;
};

enum class FrState : std::uint8_t { unknown, scheduled, started, completed };

struct FrGroup {
  std::string name;                // store name (PG GUID), shared by members
  std::string desc;                // "default_pg", "tensor_parallel_0"; "" when undefined
  std::optional<RankSet> members;  // global ranks; absent when pg_config has no row for the group
  // pg_status of this group, matched through the entries' pg_id; -1 = nothing yet, absent = not
  // told. It does not count barriers, entries do.
  std::optional<std::int64_t> last_enqueued, last_started, last_completed;
  friend bool operator==(const FrGroup&, const FrGroup&) = default;
};

// 128 bytes, wide fields first: millions are kept.
struct FrEntry {
  std::int64_t record_id = -1;
  std::int64_t collective_seq = -1;  // per group, equal on all members; -1 for point to point
  std::int64_t p2p_seq = -1;
  std::int64_t op_id = -1;
  std::int64_t in_numel = -1;  // over all tensors; -1 unknown
  std::int64_t out_numel = -1;
  std::int64_t created_ns = 0;             // UTC epoch, at enqueue
  std::int64_t discovered_started_ns = 0;  // when the watchdog noticed; 0 = never
  std::int64_t discovered_completed_ns = 0;
  std::int64_t timeout_ms = -1;
  std::uint64_t offset = 0;  // of the entry's first byte in the file
  std::uint32_t length = 0;
  std::uint32_t group = 0;     // index into FrDump::groups
  std::uint32_t name = 0;      // index into FrDump::strings: "nccl:_all_gather_base"
  std::uint32_t in_shape = 0;  // index into strings: "[[1048576]]"
  std::uint32_t out_shape = 0;
  std::uint32_t in_dtype = 0;  // index into strings: "Float"; several tensors: "Float,Half"
  std::uint32_t out_dtype = 0;
  std::uint32_t stack = 0;  // index into FrDump::stacks; stacks[0] is empty
  std::int32_t peer = -1;   // group rank, send and recv only
  bool is_p2p = false;
  OpKind kind = OpKind::unknown;
  FrState state = FrState::unknown;
  bool retired = false;
  friend bool operator==(const FrEntry&, const FrEntry&) = default;
};

struct FrDump {
  std::string version;           // "2.10"
  std::string comm_lib_version;  // NCCL's, "" for gloo or when not told
  std::vector<FrGroup> groups;
  std::vector<std::string> strings;          // strings[0] == ""
  std::vector<std::vector<FrFrame>> stacks;  // innermost first, at most 32 frames
  std::vector<FrEntry> entries;              // oldest first
  std::uint64_t entries_total = 0;           // before the window of the last 4,096 per group
  bool truncated = false;                    // the file ended early; what could be read is here
  // Made from the entries by measure_times(): hull of the creation times, unknown() if none is
  // told, and that of the newest entry that tells one (0: none).
  Interval created;
  std::int64_t last_created_ns = 0;

  void measure_times();  // call when the entries are complete
  friend bool operator==(const FrDump&, const FrDump&) = default;
};

}  // namespace firstfault
