#include "diagnosis/place.h"

#include <algorithm>
#include <set>

#include "diagnosis/wait_graph.h"

namespace firstfault {

namespace {

struct KindRow {
  std::string_view prefix, kind;
};
constexpr KindRow kKinds[] = {
    {"ledger.", "collective"},
    {"coll.", "collective"},
    {"cuda.out_of_memory", "alloc"},
    {"cuda.library", "library"},
    {"cuda.", "kernel"},
    {"gpu.exception", "kernel"},
    {"kernel.xid_application", "kernel"},
    {"settings.", "init"},
    {"env.", "init"},
    {"app.", "host"},
    {"host.", "host"},
};

// Where no operation of the rank itself is known: the first one that its peers say failed, if the
// rank has one group only. With several it is open in which of them it was.
void failed_of_peers(const Attempt& attempt, std::int32_t rank, FirstFailure* out) {
  std::set<RankSet> groups;
  for (const Communicator& c : attempt.communicators) {
    if (c.members.contains(rank)) groups.insert(c.members);
  }
  if (groups.size() > 1) return;
  const Communicator* best = nullptr;
  std::int64_t seq = -1;
  for (const Episode& e : attempt.episodes) {
    if (e.seq < 0 || !e.in_window || !std::string_view(e.cls).starts_with("echo.")) continue;
    const Communicator* c = attempt.communicator(e.communicator);
    if (c == nullptr || !c->members.contains(rank)) continue;
    const bool larger = best == nullptr || c->members.size() > best->members.size();
    if (!larger && (c != best || e.seq >= seq)) continue;
    best = c;
    seq = e.seq;
  }
  if (best == nullptr) return;
  out->communicator = best->id;
  out->seq = seq;
  out->seq_kind = SeqKind::c10d;
}

// The first collective of the rank that was never completed: its own first pending one, else one
// that peers wait in and it did not issue.
void collective_of(const Attempt& attempt, std::int32_t rank, FirstFailure* out) {
  const WaitGraph waits(attempt);
  const std::optional<std::size_t> first = waits.first_unfinished(rank);
  if (!first) {
    failed_of_peers(attempt, rank, out);
    return;
  }
  const PendingOp* best = &waits.ops()[*first];
  const Communicator& c = attempt.communicators[best->communicator];
  const Slot& slot = c.slots[best->slot];
  out->communicator = c.id;
  out->seq = slot.seq;
  out->seq_kind = c.seq_kind;
  out->op = std::string(op_token(slot.cells.at(best->waiting.smallest()).signature.kind));
}

// A root that names no rank ("the kernel killed pt_data_worker") hurt the one rank whose own fault,
// or absence from a collective, it explains.
RankSet borrowed_rank(const Graph& graph) {
  RankSet out;
  for (const Link& l : graph.links) {
    if (l.from != graph.roots.front()) continue;
    const Node& hurt = graph.nodes[l.to];
    const bool own = hurt.cls->origin == Origin::direct || hurt.cls->id == "ledger.not_issued";
    if (own && hurt.in_window) out.merge(hurt.subjects);
  }
  return out.size() == 1 ? out : RankSet{};
}

}  // namespace

FirstFailure locate(const Job&, const Attempt& attempt, const Graph& graph) {
  FirstFailure out;
  const Node& root = graph.nodes[graph.roots.front()];
  for (const std::size_t i : graph.roots) out.ranks.merge(graph.nodes[i].subjects);
  if (out.ranks.empty()) out.ranks = borrowed_rank(graph);
  out.time = root.time;
  for (const std::size_t i : graph.roots) {
    for (const Evidence& e : graph.nodes[i].evidence) {
      if (out.evidence.size() < 12) out.evidence.push_back(e);
    }
  }
  const bool everyone = out.ranks.size() > 1 && attempt.world_size > 0 &&
                        out.ranks.size() == static_cast<std::size_t>(attempt.world_size);
  const bool undecided = !root.capture("tie").empty() || root.cls->id == "ledger.wait_cycle" ||
                         root.cls->id == "ledger.not_completed";
  if (everyone || undecided) {
    out.scope = everyone ? Scope::job : Scope::group;
  } else if (!out.ranks.empty()) {
    const std::string_view cls = root.cls->id;
    out.scope =
        cls.starts_with("kernel.xid") || cls.starts_with("cuda.memory") ? Scope::gpu : Scope::rank;
    out.rank = out.ranks.smallest();
  } else if (!root.pci.empty()) {
    out.scope = Scope::gpu;
  } else if (!root.host.empty()) {
    out.scope = Scope::host;
  }
  out.host = root.host;
  out.gpu = root.pci;
  out.pid = root.pid;
  if (out.rank && out.ranks.size() == 1) {
    if (const RankInfo* info = attempt.rank(*out.rank)) {
      if (!info->host.empty()) out.host = info->host;
      if (out.gpu.empty()) out.gpu = info->pci;
      if (info->pid >= 0) out.pid = info->pid;
    }
  } else if (out.ranks.size() > 1) {
    out.host.clear();
    out.gpu.clear();
    out.pid = -1;
    const RankInfo* first = attempt.rank(out.ranks.smallest());
    const bool same =
        first != nullptr && std::all_of(out.ranks.begin(), out.ranks.end(), [&](std::int32_t r) {
          const RankInfo* info = attempt.rank(r);
          return info != nullptr && info->host == first->host;
        });
    if (same) out.host = first->host;
  }
  for (const KindRow& row : kKinds) {
    if (!std::string_view(root.cls->id).starts_with(row.prefix)) continue;
    out.operation_kind = row.kind;
    break;
  }
  out.kernel = root.capture("kernel");
  out.operation_raw = root.capture("raw");
  if (const Communicator* c = attempt.communicator(root.communicator);
      c != nullptr && root.seq >= 0) {
    out.communicator = c->id;
    out.seq = root.seq;
    out.seq_kind = c->seq_kind;
    const std::string& call =
        root.capture("call_here").empty() ? root.capture("call_there") : root.capture("call_here");
    const OpKind kind = op_from_nccl(call);
    if (kind != OpKind::unknown) {
      out.op = std::string(op_token(kind));
      out.operation_name = call;
    }
  } else if (root.seq >= 0) {
    out.seq = root.seq;
    out.seq_kind = SeqKind::c10d;
  } else if (out.ranks.size() == 1) {
    collective_of(attempt, out.ranks.smallest(), &out);
  }
  if (out.operation_name.empty()) out.operation_name = out.kernel;
  if (out.operation_kind == "kernel") {
    // CUDA errors are asynchronous: the Python line is only where the error became visible.
    out.surfaced = root.capture("api");
    const std::string& source = root.capture("source");
    if (out.operation_raw.empty() && !out.kernel.empty() && !source.empty())
      out.operation_raw = out.kernel + " at " + source;
  }
  return out;
}

}  // namespace firstfault
