// Verdict: which failure was first, why, how sure. Filled by diagnosis/, printed by report/.
// Field names follow the report's JSON (docs/report.schema.json).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/rank_set.h"
#include "model/job.h"

namespace firstfault {

enum class VerdictStatus : std::uint8_t { fault_found, no_fault, inconclusive };
enum class Confidence : std::uint8_t { none, possible, likely, certain };
enum class Scope : std::uint8_t { rank, gpu, host, link, group, job };

std::string_view name(VerdictStatus status);   // "fault_found"
std::string_view name(Confidence confidence);  // "certain"; "" for none
std::string_view name(Scope scope);            // "rank"

struct FirstFailure {
  Scope scope = Scope::job;
  std::optional<std::int32_t> rank;  // only for scope rank and gpu; the smallest of ranks
  RankSet ranks;                     // all culprits that stand side by side
  std::string host;                  // "" unknown
  std::int64_t pid = -1;
  std::string gpu;                           // PCI address, "" unknown
  std::string link;                          // "10.0.0.1 - 10.0.0.2", "mlx5_0:1", "" none
  Confidence confidence = Confidence::none;  // of the place
  std::string
      operation_kind;  // kernel, collective, p2p, memcpy, alloc, library, init, host; "" unknown
  std::string operation_name, operation_raw;
  // The collective itself, or the first one of that rank that was never completed.
  std::string op;  // "ALLGATHER", "" unknown
  std::int64_t seq = -1;
  SeqKind seq_kind = SeqKind::own_index;
  std::string communicator;   // id, "" none
  std::string kernel;         // CUDA kernel name, "" unknown
  std::string surfaced;       // where an asynchronous error became visible, "" same place
  std::string after, before;  // if only bounded between two operations
  Interval time;
  std::vector<Evidence> evidence;
};

struct BasisCheck {
  std::string
      check;  // direct_evidence, identity, inside_window, no_other_direct_fault, coverage, order
  bool passed = false;
  std::string node;  // id of the graph node it rests on, "" none
  std::string note;  // what is lacking when not passed
};

struct ChainLink {
  std::string node, cls;
  RankSet subjects;
  std::string what;                   // one plain sentence
  std::vector<std::string> explains;  // node ids
  std::vector<Evidence> evidence;
};

struct Decoy {
  std::string node, cls;
  RankSet reporters;
  std::string why_not;
  std::vector<Evidence> evidence;
};

struct Alternative {
  std::string cause;
  Confidence confidence = Confidence::possible;
  std::string why_less;
};

struct Action {
  std::string
      kind;  // retry, exclude_node, reset_gpu, rma_gpu, fix_code, fix_config, fix_fabric, collect
  std::string target, why;
};

struct MissingEvidence {
  std::string what, why, how;
};

struct GraphNode {
  std::string id;    // "n1", canonical order
  std::string kind;  // event, finding, hypothesis
  std::string cls;
  RankSet reporters, subjects;
  std::string host, pci;
  Interval time;
  std::uint64_t count = 1;
  std::vector<Evidence> evidence;
};

struct GraphEdge {
  std::string from, to;  // from explains to
  std::string rule;      // id of the causal edge
  std::string order;     // before, after, undecidable
  double margin_s = 0;   // gap between the intervals when ordered
};

struct Verdict {
  VerdictStatus status = VerdictStatus::inconclusive;
  std::string cause;  // taxonomy id, "" none
  Confidence confidence = Confidence::none;
  std::string domain = "unknown";  // app, platform, fabric, scheduler, unknown
  std::string phase =
      "unknown";      // launch, rendezvous, init, first_collective, steady, checkpoint, teardown
  std::string title;  // one line for a chat
  std::optional<FirstFailure> first_failure;
  RankSet must_be, may_be;
  std::vector<BasisCheck> basis;
  std::vector<ChainLink> chain;  // cause first
  std::vector<Decoy> decoys;     // loudest first
  std::vector<Alternative> alternatives;
  std::optional<Action> action;
  std::vector<std::string> advice;
  std::vector<MissingEvidence> missing;
};

struct AttemptVerdict {
  std::int32_t attempt = 0;
  Interval window;
  VerdictStatus status = VerdictStatus::inconclusive;
  std::string cause;
  std::optional<std::int32_t> rank;
};

// Everything diagnosis says about a job.
struct Diagnosis {
  std::int32_t attempt = 0;  // the attempt the verdict is about (index into Job::attempts)
  Verdict verdict;
  std::vector<AttemptVerdict> attempts;
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
};

}  // namespace firstfault
