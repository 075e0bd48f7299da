#include "diagnosis/wait_graph.h"

#include <algorithm>
#include <set>

#include "diagnosis/components.h"
#include "diagnosis/next_call.h"

namespace firstfault {

namespace {

const Cell* cell_of(const Slot& slot, std::int32_t rank) {
  const auto at = slot.cells.find(rank);
  return at == slot.cells.end() ? nullptr : &at->second;
}

bool surely_completed(const Cell& cell) { return cell.completed && cell.grade != Grade::nothing; }

// Send and recv of one number are a pair only if their directions differ.
bool same_direction(const Slot& slot, const RankSet& waiting) {
  if (waiting.size() != 2) return false;
  const Cell* a = cell_of(slot, waiting.values()[0]);
  const Cell* b = cell_of(slot, waiting.values()[1]);
  return a != nullptr && b != nullptr && is_point_to_point(a->signature.kind) &&
         a->signature.kind == b->signature.kind;
}

}  // namespace

WaitGraph::WaitGraph(const Attempt& attempt) : attempt_(attempt) {
  find_cut();
  for (const Coverage& c : attempt.coverage) {
    if (c.source == "flight_recorder") dumped_.merge(c.ranks);
  }
  for (const Communicator& c : attempt.communicators) {
    for (const auto& [rank, p] : c.progress) {
      if (p.left) left_.insert(rank);
    }
  }
  find_pending();
  find_store_waits();
  find_heads();
  find_sinks();
}

void WaitGraph::find_cut() {
  for (const Communicator& c : attempt_.communicators) {
    if (c.cut_by == "death" || !c.cut.bounded_above()) continue;
    if (!cut_.bounded_above() || c.cut.hi < cut_.hi) cut_ = c.cut;
  }
}

bool WaitGraph::late(const Cell& cell) const {
  return cell.after_cut ||
         (cut_.bounded_above() && cell.issued_at.bounded_below() && cell.issued_at.lo > cut_.hi);
}

// Known only from a report that was printed after the cut: when it was issued is open.
bool WaitGraph::undated(const Cell& cell) const {
  return cell.source == OpSource::watchdog && !cell.issued_at.bounded_below() &&
         cut_.bounded_above() && cell.issued_at.hi > cut_.hi;
}

void WaitGraph::find_pending() {
  for (std::size_t c = 0; c < attempt_.communicators.size(); ++c) {
    const Communicator& comm = attempt_.communicators[c];
    for (std::size_t s = 0; s < comm.slots.size(); ++s) {
      for (const auto& [rank, cell] : comm.slots[s].cells) {
        if (cell.issued && late(cell)) went_on_.insert(rank);
      }
      add_slot(c, s);
    }
  }
}

void WaitGraph::add_slot(std::size_t c, std::size_t s) {
  const Communicator& comm = attempt_.communicators[c];
  const Slot& slot = comm.slots[s];
  PendingOp op;
  op.communicator = c;
  op.slot = s;
  op.all_members_known =
      comm.size > 0 && comm.members.size() >= static_cast<std::size_t>(comm.size);
  std::vector<std::int32_t> waiting, lacking, unseen, passed;
  // Dumps do not tell of send and recv here.
  const bool collective = std::none_of(slot.cells.begin(), slot.cells.end(), [](const auto& c) {
    return is_point_to_point(c.second.signature.kind);
  });
  bool word_of_completion = false;  // some source would tell if it had completed
  for (const std::int32_t rank : comm.members) {
    const Cell* cell = cell_of(slot, rank);
    const auto p = comm.progress.find(rank);
    if (cell != nullptr && cell->issued && undated(*cell)) {
      unseen.push_back(rank);
    } else if (cell != nullptr && cell->issued && !late(*cell)) {
      if (surely_completed(*cell)) {
        passed.push_back(rank);
      } else if (!cell->completed) {
        waiting.push_back(rank);
        const bool gave_up = comm.timed_out && comm.waiting.contains(rank) &&
                             p != comm.progress.end() && p->second.last_enqueued <= slot.seq;
        if (cell->source != OpSource::coll_line || gave_up) word_of_completion = true;
      }
    } else if (cell != nullptr && cell->known) {
      lacking.push_back(rank);
    } else if (p != comm.progress.end() && p->second.completed_known &&
               p->second.last_completed >= slot.seq) {
      passed.push_back(rank);
    } else if (cell == nullptr && collective && dumped_.contains(rank) &&
               comm.seq_kind != SeqKind::own_index &&
               (p == comm.progress.end() || p->second.last_enqueued < slot.seq)) {
      lacking.push_back(rank);  // its dump does not know of it
    } else {
      unseen.push_back(rank);
    }
  }
  if (waiting.empty()) return;
  if (!word_of_completion && lacking.empty()) return;
  op.waiting = RankSet(std::move(waiting));
  op.lacking = RankSet(std::move(lacking));
  op.unseen = RankSet(std::move(unseen));
  op.passed = RankSet(std::move(passed));
  op.since = Interval::between(kTimeMax, kTimeMax);
  for (const std::int32_t rank : op.waiting) {
    const Interval& t = cell_of(slot, rank)->issued_at;
    if (t.bounded_below() && t.lo < op.since.lo) op.since = t;
  }
  if (op.since.lo == kTimeMax) op.since = Interval{};
  ops_.push_back(std::move(op));
}

// On one communicator operations go in order, so only the first pending one counts; over several,
// those that are not surely issued after another.
void WaitGraph::find_heads() {
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    for (const std::int32_t rank : ops_[i].waiting) {
      if (left_.contains(rank)) continue;
      std::vector<std::size_t>& heads = heads_[rank];
      const bool first_there = std::none_of(heads.begin(), heads.end(), [&](std::size_t h) {
        return ops_[h].communicator == ops_[i].communicator;
      });
      if (first_there) heads.push_back(i);
    }
  }
  for (auto& [rank, heads] : heads_) {
    std::int64_t first_hi = kTimeMax;
    for (const std::size_t h : heads) first_hi = std::min(first_hi, issued_at(h, rank).hi);
    std::erase_if(heads, [&, r = rank](std::size_t h) { return issued_at(h, r).lo > first_hi; });
  }
}

// A rank that waits for a key of the store waits for the rank that must publish it; a member of a
// communicator whose set-up only some have begun waits inside it for the others.
void WaitGraph::find_store_waits() {
  for (const Episode& e : attempt_.episodes) {
    if (e.cls != "echo.store_wait" || !e.in_window) continue;
    if (e.reporter.ranks.size() != 1 || e.about.ranks.size() != 1) continue;
    const std::int32_t waiter = e.reporter.ranks.smallest(), on = e.about.ranks.smallest();
    if (waiter == on) continue;
    store_waits_[waiter].insert(on);
    store_evidence_.insert(store_evidence_.end(), e.evidence.begin(), e.evidence.end());
  }
  std::vector<std::pair<std::int32_t, std::int32_t>> inside;
  for (const Communicator& c : attempt_.communicators) {
    if (c.size != 2 || c.members.size() != 1 || !c.slots.empty()) continue;
    const std::int32_t member = c.members.smallest();
    for (const auto& [waiter, on] : store_waits_) {
      if (on.contains(member)) inside.emplace_back(member, waiter);
    }
  }
  for (const auto& [member, other] : inside) store_waits_[member].insert(other);
}

void WaitGraph::find_sinks() {
  // Nodes: operations first, then the ranks that take part.
  std::map<std::int32_t, std::size_t> node_of;
  std::vector<std::int32_t> rank_of;
  const auto node = [&](std::int32_t rank) {
    const auto [at, fresh] = node_of.try_emplace(rank, ops_.size() + rank_of.size());
    if (fresh) rank_of.push_back(rank);
    return at->second;
  };
  std::vector<std::vector<std::size_t>> next(ops_.size());
  std::map<std::int32_t, std::vector<std::size_t>> lacked_by, unseen_by;
  std::set<std::size_t> unsure;
  const auto link = [&](std::size_t from, std::size_t to) {
    if (next.size() <= std::max(from, to)) next.resize(std::max(from, to) + 1);
    next[from].push_back(to);
  };
  for (const auto& [rank, heads] : heads_) {
    for (const std::size_t h : heads) link(node(rank), h);
  }
  for (const auto& [rank, on] : store_waits_) {
    for (const std::int32_t other : on) link(node(rank), node(other));
  }
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const PendingOp& op = ops_[i];
    const Slot& slot = attempt_.communicators[op.communicator].slots[op.slot];
    const bool holds = std::any_of(op.waiting.begin(), op.waiting.end(), [&](std::int32_t r) {
      const auto h = heads_.find(r);
      return h != heads_.end() &&
             std::find(h->second.begin(), h->second.end(), i) != h->second.end();
    });
    if (!holds) continue;
    for (const std::int32_t r : op.lacking) link(i, node(r)), lacked_by[r].push_back(i);
    for (const std::int32_t r : op.unseen) {
      if (heads_.contains(r)) {
        link(i, node(r));
      } else {
        unseen_by[r].push_back(i);
        link(i, node(r));
      }
    }
    const bool facing = same_direction(slot, op.waiting);
    for (const std::int32_t r : op.waiting) {
      const auto h = heads_.find(r);
      if (h == heads_.end()) continue;
      const bool here = std::find(h->second.begin(), h->second.end(), i) != h->second.end();
      if (!here || facing) link(i, node(r));
      if (here && h->second.size() > 1) unsure.insert(i);
    }
  }
  next.resize(ops_.size() + rank_of.size());
  for (std::vector<std::size_t>& to : next) {
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  }

  const std::vector<std::size_t> component = strong_components(next);
  std::map<std::size_t, std::vector<std::size_t>> members;
  std::set<std::size_t> with_exit, pointed_at;
  for (std::size_t v = 0; v < next.size(); ++v) {
    members[component[v]].push_back(v);
    for (const std::size_t w : next[v]) {
      if (component[w] != component[v]) with_exit.insert(component[v]);
      pointed_at.insert(w);
    }
  }
  const auto earliest = [&](std::vector<std::size_t> ops) {
    std::stable_sort(ops.begin(), ops.end(), [&](std::size_t a, std::size_t b) {
      return ops_[a].since.lo < ops_[b].since.lo;
    });
    return ops;
  };
  for (const auto& [id, nodes] : members) {
    if (with_exit.contains(id)) continue;
    Sink sink;
    std::vector<std::size_t> ops;
    for (const std::size_t v : nodes) {
      if (v < ops_.size()) {
        ops.push_back(v);
      } else {
        sink.ranks.insert(rank_of[v - ops_.size()]);
      }
    }
    if (nodes.size() > 1) {
      if (sink.ranks.size() < 2) continue;
      sink.kind = Sink::Kind::circle;
    } else if (!pointed_at.contains(nodes.front())) {
      continue;
    } else if (sink.ranks.empty()) {
      sink.kind = Sink::Kind::operation;
      sink.head_sure = !unsure.contains(nodes.front());
    } else {
      const std::int32_t rank = sink.ranks.smallest();
      const auto lacked = lacked_by.find(rank);
      sink.known = lacked != lacked_by.end();
      ops = sink.known ? lacked->second : unseen_by[rank];
    }
    sink.ops = earliest(std::move(ops));
    sinks_.push_back(std::move(sink));
  }
  std::sort(sinks_.begin(), sinks_.end(), [](const Sink& a, const Sink& b) {
    return std::tie(a.kind, a.ranks, a.ops) < std::tie(b.kind, b.ranks, b.ops);
  });
}

Interval WaitGraph::issued_at(std::size_t op, std::int32_t rank) const {
  const PendingOp& o = ops_[op];
  return cell_of(attempt_.communicators[o.communicator].slots[o.slot], rank)->issued_at;
}

// Did a rank that waits in both issue a before b?
bool WaitGraph::peers_say_before(std::size_t a, std::size_t b) const {
  if (ops_[a].communicator == ops_[b].communicator) return ops_[a].slot < ops_[b].slot;
  const RankSet both = ops_[a].waiting.intersect(ops_[b].waiting);
  return std::any_of(both.begin(), both.end(), [&](std::int32_t r) {
    return issued_at(a, r).surely_before(issued_at(b, r));
  });
}

std::optional<std::size_t> WaitGraph::first_unfinished(std::int32_t rank) const {
  std::vector<std::size_t> ops;
  if (const auto own = heads_.find(rank); own != heads_.end()) ops = own->second;
  if (ops.empty()) {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (ops_[i].lacking.contains(rank)) ops.push_back(i);
    }
    std::vector<std::size_t> first;
    for (const std::size_t i : ops) {
      const bool later = std::any_of(
          ops.begin(), ops.end(), [&](std::size_t j) { return j != i && peers_say_before(j, i); });
      if (!later) first.push_back(i);
    }
    if (!first.empty()) ops = std::move(first);
    if (ops.size() > 1) {
      std::vector<std::size_t> communicators;
      for (const std::size_t i : ops) communicators.push_back(ops_[i].communicator);
      if (const auto next = next_communicator(attempt_, rank, communicators)) {
        std::erase_if(ops, [&](std::size_t i) { return ops_[i].communicator != *next; });
      }
    }
  }
  if (ops.empty()) return std::nullopt;
  const auto size = [&](std::size_t op) {
    return attempt_.communicators[ops_[op].communicator].members.size();
  };
  std::size_t best = ops.front();
  for (const std::size_t i : ops) {
    const bool sooner = ops_[i].since.surely_before(ops_[best].since);
    const bool later = ops_[best].since.surely_before(ops_[i].since);
    if (sooner || (!later && size(i) > size(best))) best = i;
  }
  return best;
}

RankSet WaitGraph::waiters_of(std::int32_t rank) const {
  RankSet out;
  for (const PendingOp& op : ops_) {
    if (op.lacking.contains(rank) || op.unseen.contains(rank)) out.merge(op.waiting);
  }
  for (const auto& [waiter, on] : store_waits_) {
    if (on.contains(rank)) out.insert(waiter);
  }
  out.erase(rank);
  return out;
}

}  // namespace firstfault
