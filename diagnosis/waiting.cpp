#include "diagnosis/waiting.h"

#include <algorithm>
#include <map>

#include "diagnosis/observed.h"
#include "diagnosis/wait_graph.h"

namespace firstfault {

namespace {

constexpr std::size_t kMaxEvidence = 8;

const Cell* cell_of(const Slot& slot, std::int32_t rank) {
  const auto at = slot.cells.find(rank);
  return at == slot.cells.end() ? nullptr : &at->second;
}

// Operations that no member can have completed while another has not: what one completed, all must.
bool completes_together(OpKind kind) {
  return kind == OpKind::all_reduce || kind == OpKind::all_gather ||
         kind == OpKind::reduce_scatter || kind == OpKind::all_to_all || kind == OpKind::barrier;
}

class Detector {
 public:
  explicit Detector(const Attempt& attempt) : attempt_(attempt), graph_(attempt) {}

  std::vector<Finding> findings() {
    std::vector<Finding> out = culprits(/*known=*/true);
    if (out.empty()) circles(&out);
    if (out.empty()) out = culprits(/*known=*/false);
    if (out.empty()) stuck(&out);
    if (out.empty()) stalls(&out);
    return out;
  }

 private:
  const Communicator& communicator(const PendingOp& op) const {
    return attempt_.communicators[op.communicator];
  }
  const Slot& slot(const PendingOp& op) const { return communicator(op).slots[op.slot]; }
  const Cell& waiting_cell(const PendingOp& op) const {
    return *cell_of(slot(op), op.waiting.smallest());
  }

  static void add(const std::vector<Evidence>& from, Finding* f) {
    for (const Evidence& e : from) {
      if (f->evidence.size() >= kMaxEvidence) return;
      if (std::find(f->evidence.begin(), f->evidence.end(), e) == f->evidence.end()) {
        f->evidence.push_back(e);
      }
    }
  }

  void place(const PendingOp& op, Finding* f) const {
    f->communicator = communicator(op).id;
    f->seq = slot(op).seq;
    f->time = op.since;
    f->details.push_back({"call_there", std::string(op_name(waiting_cell(op).signature.kind))});
  }

  // Ranks that others wait for and that wait for nobody: one finding each.
  std::vector<Finding> culprits(bool known) const {
    std::vector<Finding> out;
    for (const Sink& sink : graph_.sinks()) {
      if (sink.kind != Sink::Kind::rank || sink.known != known) continue;
      out.push_back(culprit(sink));
    }
    if (!known && out.size() > 1) out.clear();  // any of them may be it: nothing is told
    return out;
  }

  Finding culprit(const Sink& sink) const {
    const std::int32_t rank = sink.ranks.smallest();
    Finding f;
    f.subjects = sink.ranks;
    f.others = graph_.waiters_of(rank);
    f.cls = graph_.left(rank)      ? "ledger.left_loop"
            : graph_.went_on(rank) ? "ledger.issued_late"
                                   : "ledger.not_issued";
    if (sink.ops.empty()) {  // waited for through the store only
      f.details.push_back({"view", "incomplete"});
      add(graph_.store_evidence(), &f);
      return f;
    }
    const PendingOp& op = graph_.ops()[graph_.first_unfinished(rank).value_or(sink.ops.front())];
    place(op, &f);
    const Cell* own = cell_of(slot(op), rank);
    const auto progress = communicator(op).progress.find(rank);
    const bool shown = progress != communicator(op).progress.end();
    const bool complete = shown && progress->second.complete_view;
    const bool all_seen = unobserved(attempt_, communicator(op).members).empty();
    if (!sink.known || !all_seen || (!complete && f.cls == "ledger.not_issued")) {
      f.details.push_back({"view", "incomplete"});
    }
    if (own != nullptr) {
      if (!own->user_frame.empty()) f.details.push_back({"frame", own->user_frame});
      add(own->evidence, &f);
    }
    if (shown) add(progress->second.evidence, &f);
    add(waiting_cell(op).evidence, &f);
    return f;
  }

  void circles(std::vector<Finding>* out) const {
    for (const Sink& sink : graph_.sinks()) {
      if (sink.kind != Sink::Kind::circle) continue;
      Finding f;
      f.cls = "ledger.wait_cycle";
      f.subjects = sink.ranks;
      for (const std::size_t i : sink.ops) {
        const PendingOp& op = graph_.ops()[i];
        if (f.communicator.empty()) place(op, &f);
        for (const std::int32_t r : op.waiting) {
          if (sink.ranks.contains(r)) add(cell_of(slot(op), r)->evidence, &f);
        }
      }
      for (const std::int32_t r : sink.ranks) {
        if (graph_.store_waits().contains(r)) add(graph_.store_evidence(), &f);
      }
      out->push_back(std::move(f));
    }
  }

  // Every member has reached the operation, and all but some have completed it: their GPU.
  void stuck(std::vector<Finding>* out) const {
    for (const Sink& sink : graph_.sinks()) {
      if (!reached_by_all(sink)) continue;
      const PendingOp& op = graph_.ops()[sink.ops.front()];
      if (op.passed.empty() || op.waiting.size() > op.passed.size()) continue;
      if (!completes_together(waiting_cell(op).signature.kind)) continue;
      out->push_back(stall("ledger.stuck_on_gpu", op));
    }
  }

  // Every member has reached the operation and none completed it: transport, or inside the kernel.
  // Without a time-out it may only have been caught in flight.
  void stalls(std::vector<Finding>* out) const {
    for (const Sink& sink : graph_.sinks()) {
      if (!reached_by_all(sink)) continue;
      const PendingOp& op = graph_.ops()[sink.ops.front()];
      if (!op.passed.empty() || !communicator(op).timed_out) continue;
      out->push_back(stall("ledger.not_completed", op));
    }
  }

  bool reached_by_all(const Sink& sink) const {
    if (sink.kind != Sink::Kind::operation || !sink.head_sure) return false;
    const PendingOp& op = graph_.ops()[sink.ops.front()];
    return op.all_members_known && op.unseen.empty() && op.lacking.empty() &&
           op.waiting.size() + op.passed.size() == communicator(op).members.size();
  }

  Finding stall(const char* cls, const PendingOp& op) const {
    Finding f;
    f.cls = cls;
    f.subjects = op.waiting;
    f.others = op.passed;
    place(op, &f);
    for (const std::int32_t r : op.waiting) add(cell_of(slot(op), r)->evidence, &f);
    return f;
  }

  const Attempt& attempt_;
  const WaitGraph graph_;
};

}  // namespace

std::vector<Finding> find_waiting(const Attempt& attempt) {
  if (attempt.ended_well) return {};
  return Detector(attempt).findings();
}

}  // namespace firstfault
