// Replay spec: the collectives around a failure, so that they can be issued again on real GPUs.
//
// Two programs: A as recorded, B with the verdict's correction (the missing call added, the minority's
// arguments replaced, the order put right). Each program lists, rank by rank, the operations in order
// of issue. The file form is JSON (docs/replay-spec.md, spec_json.h); everything unknown is marked by
// an entry in `assumptions`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/rank_set.h"
#include "model/operation.h"

namespace firstfault::replay {

// Limits of a spec; a file beyond them is refused.
inline constexpr std::int32_t kMaxWorld = 4096;
inline constexpr std::size_t kMaxCommunicators = 1024;
inline constexpr std::size_t kMaxOperations = 100'000;            // over all ranks of a program
inline constexpr std::uint64_t kMaxElements = 1ull << 34;         // of one operation

struct Communicator {
  std::string id;                     // "c0"
  std::vector<std::int32_t> members;  // global ranks in communicator order
};

enum class StepKind : std::uint8_t {
  collective,  // enqueue `op`
  wait,        // wait until everything enqueued so far is complete
  exit_hard,   // the process ends here without a word (SIGKILL to itself)
};

struct Step {
  StepKind kind = StepKind::collective;
  std::uint32_t communicator = 0;  // index
  OpKind op = OpKind::all_reduce;
  std::uint64_t count = 1;         // as NCCL takes it (per-rank count for all-gather, reduce-scatter)
  std::string dtype = "float32";   // model/operation.h names
  std::string reduction = "sum";
  std::int32_t root = 0;           // communicator rank; peer for send and recv
  bool in_place = true;
  std::int32_t group = -1;         // steps of one rank with the same number >= 0 stand in one NCCL group
};

struct Program {
  std::map<std::int32_t, std::vector<Step>> steps;       // by global rank
  std::map<std::int32_t, std::map<std::string, std::string>> settings;  // environment by global rank
};

// What the recorded job showed, and so what A should show again.
enum class Symptom : std::uint8_t { hang, wrong_result, error, process_death, none };
std::string_view name(Symptom symptom);

struct Spec {
  std::int32_t world = 0;
  std::vector<Communicator> communicators;
  Program as_recorded;  // A
  Program corrected;    // B
  Symptom expected = Symptom::hang;
  RankSet culprits;
  std::string nccl_version;  // the failed job's, "" unknown
  std::string cause;         // taxonomy id of the verdict
  std::string title;
  std::vector<std::string> assumptions;
};

}  // namespace firstfault::replay
