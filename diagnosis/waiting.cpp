#include "diagnosis/waiting.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace firstfault {

namespace {

constexpr std::size_t kMaxEvidence = 8;

struct Outstanding {
  const Communicator* communicator = nullptr;
  const Slot* slot = nullptr;
  const Cell* cell = nullptr;
};

bool pending(const Cell& cell) { return cell.issued && !cell.completed && !cell.after_cut; }

const Cell* cell_of(const Slot& slot, std::int32_t rank) {
  const auto at = slot.cells.find(rank);
  return at == slot.cells.end() ? nullptr : &at->second;
}

class WaitGraph {
 public:
  explicit WaitGraph(const Attempt& attempt) : attempt_(attempt) {
    for (const Communicator& c : attempt.communicators) {
      if (c.cut.unknown() && c.cut_by.empty() && !c.timed_out && attempt.ended_well) continue;
      for (const Slot& slot : c.slots) {
        for (const auto& [rank, cell] : slot.cells) {
          if (!pending(cell)) continue;
          first_on_.emplace(std::pair(c.id, rank), slot.seq);
          Outstanding& first = earliest_[rank];
          const bool sooner = first.cell == nullptr ||
                              std::pair(cell.issued_at.lo, cell.issued_at.hi) <
                                  std::pair(first.cell->issued_at.lo, first.cell->issued_at.hi);
          if (sooner) first = {&c, &slot, &cell};
        }
      }
    }
    store_waits();
    for (const auto& [rank, o] : earliest_) connect(rank, o);
  }

  std::vector<Finding> findings() {
    std::vector<Finding> out;
    RankSet culprits;
    for (const auto& [rank, waiters] : waited_for_) {
      if (!waits_on_.contains(rank)) culprits.insert(rank);
    }
    for (const std::int32_t rank : stuck_) culprits.insert(rank);
    for (const std::int32_t rank : culprits) out.push_back(culprit(rank));
    if (culprits.empty()) {
      if (auto cycle = find_cycle()) out.push_back(std::move(*cycle));
    }
    if (out.empty()) stalled(&out);
    return out;
  }

 private:
  // A rank that waits for a key of the store waits for the rank that must publish it.
  void store_waits() {
    for (const Episode& e : attempt_.episodes) {
      if (e.cls != "echo.store_wait" || e.reporter.ranks.size() != 1 || e.about.ranks.size() != 1) {
        continue;
      }
      const std::int32_t waiter = e.reporter.ranks.smallest(), on = e.about.ranks.smallest();
      if (waiter == on) continue;
      waits_on_[waiter].insert(on);
      waited_for_[on].insert(waiter);
      store_evidence_.insert(store_evidence_.end(), e.evidence.begin(), e.evidence.end());
    }
    // Init that began on some members only: they wait inside it for the others.
    for (const Communicator& c : attempt_.communicators) {
      if (c.size <= 0 || static_cast<std::size_t>(c.size) <= c.members.size() || !c.slots.empty())
        continue;
      for (const std::int32_t inside : c.members) {
        for (const auto& [waiter, targets] : waits_on_) {
          if (targets.contains(inside) && !c.members.contains(waiter) && c.size == 2) {
            init_waits_.push_back({inside, waiter});
          }
        }
      }
    }
    for (const auto& [inside, other] : init_waits_) {
      waits_on_[inside].insert(other);
      waited_for_[other].insert(inside);
    }
  }

  // Has the member completed this slot, seen from what is outstanding there?
  bool passed(const Communicator& c, const Slot& slot, std::int32_t member) const {
    const Cell* cell = cell_of(slot, member);
    if (cell != nullptr && cell->completed && cell->grade != Grade::nothing) return true;
    const auto first = first_on_.find({c.id, member});
    if (first != first_on_.end() && first->second > slot.seq) return true;
    const auto progress = c.progress.find(member);
    return progress != c.progress.end() && progress->second.completed_known &&
           progress->second.last_completed >= slot.seq;
  }

  bool never_issued(const Communicator& c, const Slot& slot, std::int32_t member) const {
    const Cell* cell = cell_of(slot, member);
    if (cell != nullptr && cell->known) return !cell->issued || cell->after_cut;
    const auto progress = c.progress.find(member);
    return progress != c.progress.end() && progress->second.enqueued_known &&
           progress->second.last_enqueued < slot.seq;
  }

  void connect(std::int32_t rank, const Outstanding& o) {
    const Communicator& c = *o.communicator;
    bool blocked = false;
    std::size_t through = 0;
    for (const std::int32_t member : c.members) {
      if (member == rank) continue;
      if (passed(c, *o.slot, member)) {
        ++through;
        continue;
      }
      const auto other = earliest_.find(member);
      const bool elsewhere = other != earliest_.end() && other->second.slot != o.slot &&
                             (other->second.communicator != &c);
      if (never_issued(c, *o.slot, member) || elsewhere) {
        waits_on_[rank].insert(member);
        waited_for_[member].insert(rank);
        reason_[member] = o;
        blocked = true;
      } else if (other == earliest_.end() && silent_with_dump(member)) {
        // Its dump says that nothing is outstanding there, while peers wait for it.
        waits_on_[rank].insert(member);
        waited_for_[member].insert(rank);
        reason_[member] = o;
        blocked = true;
      }
    }
    if (!blocked && through > 0 && through + 1 >= c.members.size()) {
      stuck_.insert(rank);
      reason_[rank] = o;
    }
  }

  bool silent_with_dump(std::int32_t member) const {
    for (const Coverage& cover : attempt_.coverage) {
      if (cover.source == "flight_recorder" && cover.ranks.contains(member)) return true;
    }
    return false;
  }

  Finding culprit(std::int32_t rank) const {
    Finding f;
    f.subjects = {rank};
    const auto reason = reason_.find(rank);
    if (reason == reason_.end()) {  // waited for through the store only
      f.cls = "ledger.not_issued";
      f.details.push_back({"view", "incomplete"});
      if (const auto w = waited_for_.find(rank); w != waited_for_.end()) {
        for (const std::int32_t waiter : w->second) f.others.insert(waiter);
      }
      for (const Evidence& e : store_evidence_) add(&f, e);
      return f;
    }
    const Outstanding& o = reason->second;
    f.communicator = o.communicator->id;
    f.seq = o.slot->seq;
    const auto waiters = waited_for_.find(rank);
    if (waiters != waited_for_.end()) {
      for (const std::int32_t w : waiters->second) f.others.insert(w);
    }
    f.details.push_back({"call_there", std::string(op_name(o.cell->signature.kind))});
    const Cell* own = cell_of(*o.slot, rank);
    const auto progress = o.communicator->progress.find(rank);
    const bool late = own != nullptr && own->issued && own->after_cut;
    const bool left = progress != o.communicator->progress.end() && progress->second.left;
    f.cls = stuck_.contains(rank) ? "ledger.stuck_on_gpu"
            : late                ? "ledger.issued_late"
            : left                ? "ledger.left_loop"
                                  : "ledger.not_issued";
    const bool complete =
        progress != o.communicator->progress.end() && progress->second.complete_view;
    if (!complete && !late) f.details.push_back({"view", "incomplete"});
    if (own != nullptr) {
      if (!own->user_frame.empty()) f.details.push_back({"frame", own->user_frame});
      for (const Evidence& e : own->evidence) add(&f, e);
    }
    if (progress != o.communicator->progress.end()) {
      for (const Evidence& e : progress->second.evidence) add(&f, e);
    }
    for (const Evidence& e : o.cell->evidence) add(&f, e);
    f.time = o.cell->issued_at;
    return f;
  }

  std::optional<Finding> find_cycle() const {
    for (const auto& [start, targets] : waits_on_) {
      std::vector<std::int32_t> path;
      std::set<std::int32_t> seen;
      std::int32_t at = start;
      while (seen.insert(at).second) {
        path.push_back(at);
        const auto next = waits_on_.find(at);
        if (next == waits_on_.end() || next->second.empty()) break;
        at = *next->second.begin();
      }
      const auto loop = std::find(path.begin(), path.end(), at);
      if (loop == path.end() || path.end() - loop < 2) continue;
      Finding f;
      f.cls = "ledger.wait_cycle";
      for (auto r = loop; r != path.end(); ++r) {
        f.subjects.insert(*r);
        const auto o = earliest_.find(*r);
        if (o == earliest_.end()) continue;
        for (const Evidence& e : o->second.cell->evidence) add(&f, e);
        if (f.communicator.empty()) {
          f.communicator = o->second.communicator->id;
          f.seq = o->second.slot->seq;
          f.time = o->second.cell->issued_at;
        }
      }
      for (const Evidence& e : store_evidence_) add(&f, e);
      return f;
    }
    return std::nullopt;
  }

  // Every member issued the operation and none completed it.
  void stalled(std::vector<Finding>* out) const {
    for (const auto& [rank, o] : earliest_) {
      const Communicator& c = *o.communicator;
      if (!c.timed_out || c.members.empty()) continue;
      const bool all = std::all_of(c.members.begin(), c.members.end(), [&](std::int32_t m) {
        const Cell* cell = cell_of(*o.slot, m);
        return cell != nullptr && pending(*cell);
      });
      if (!all || static_cast<std::size_t>(c.size) != c.members.size()) continue;
      Finding f;
      f.cls = "ledger.not_completed";
      f.subjects = c.members;
      f.communicator = c.id;
      f.seq = o.slot->seq;
      f.time = o.cell->issued_at;
      f.details.push_back({"call_there", std::string(op_name(o.cell->signature.kind))});
      for (const Evidence& e : o.cell->evidence) add(&f, e);
      out->push_back(std::move(f));
      return;
    }
  }

  static void add(Finding* f, const Evidence& e) {
    if (f->evidence.size() < kMaxEvidence &&
        std::find(f->evidence.begin(), f->evidence.end(), e) == f->evidence.end()) {
      f->evidence.push_back(e);
    }
  }

  const Attempt& attempt_;
  std::map<std::int32_t, Outstanding> earliest_;
  std::map<std::pair<std::string, std::int32_t>, std::int64_t> first_on_;  // first pending seq
  std::map<std::int32_t, std::set<std::int32_t>> waits_on_, waited_for_;
  std::map<std::int32_t, Outstanding> reason_;  // what others wait in, by the rank waited for
  std::set<std::int32_t> stuck_;
  std::vector<std::pair<std::int32_t, std::int32_t>> init_waits_;
  std::vector<Evidence> store_evidence_;
};

}  // namespace

std::vector<Finding> find_waiting(const Attempt& attempt) {
  if (attempt.ended_well) return {};
  return WaitGraph(attempt).findings();
}

}  // namespace firstfault
