#include "diagnosis/mismatch.h"

#include <algorithm>

#include "base/text.h"
#include "diagnosis/observed.h"
#include "timeline/comparable.h"

namespace firstfault {

namespace {

constexpr std::size_t kMaxEvidence = 8;

std::string call(const Cell& cell) {
  std::string out(op_name(cell.signature.kind));
  return out;
}

bool hung(const Attempt& attempt, const Communicator& c) {
  return c.timed_out || !c.cut.unknown() || !c.cut_by.empty() || !attempt.ended_well;
}

bool closing_barrier(const Cell& cell) {
  return cell.signature.kind == OpKind::barrier ||
         (cell.signature.kind == OpKind::all_reduce && cell.signature.count == 1);
}

// A send and a recv of one number are one exchange.
bool point_to_point(const Slot& slot) {
  return std::all_of(slot.cells.begin(), slot.cells.end(), [](const auto& cell) {
    return !cell.second.issued || is_point_to_point(cell.second.signature.kind);
  });
}

const Cell* any_cell(const Slot& slot, const RankSet& ranks) {
  for (const std::int32_t r : ranks) {
    const auto at = slot.cells.find(r);
    if (at != slot.cells.end()) return &at->second;
  }
  return nullptr;
}

// The members whose cell differs from the one most often seen.
Finding describe(const Attempt& attempt, const Communicator& c, const Slot& slot,
                 const std::vector<RankSet>& classes) {
  Finding f;
  f.communicator = c.id;
  f.seq = slot.seq;
  const bool tie = classes[0].size() == classes[1].size();
  f.others = classes[0];
  for (std::size_t i = 1; i < classes.size(); ++i) f.subjects.merge(classes[i]);
  const Cell* here = any_cell(slot, classes[1]);
  const Cell* there = any_cell(slot, classes[0]);
  if (tie) {
    f.subjects.merge(classes[0]);
    f.details.push_back({"tie", "yes"});
  }
  if (!unobserved(attempt, c.members).empty()) f.details.push_back({"view", "incomplete"});
  if (here != nullptr && there != nullptr) {
    f.details.push_back({"call_here", call(*here)});
    f.details.push_back({"call_there", call(*there)});
    if (const auto d = signature_difference(*here, *there)) {
      f.details.push_back({"field", d->field});
      f.details.push_back({"here", d->here});
      f.details.push_back({"there", d->there});
    }
    if (!here->user_frame.empty()) f.details.push_back({"frame", here->user_frame});
  }
  Interval when{kTimeMax, kTimeMax};
  for (const std::int32_t r : f.subjects) {
    const auto at = slot.cells.find(r);
    if (at == slot.cells.end()) continue;
    if (at->second.issued_at.lo < when.lo) when = at->second.issued_at;
    for (const Evidence& e : at->second.evidence) {
      if (f.evidence.size() < kMaxEvidence - 2) f.evidence.push_back(e);
    }
  }
  if (there != nullptr) {
    for (const Evidence& e : there->evidence) {
      if (f.evidence.size() < kMaxEvidence) f.evidence.push_back(e);
    }
  }
  f.time = when.lo == kTimeMax ? Interval{} : when;
  const bool all_left = std::all_of(f.subjects.begin(), f.subjects.end(), [&](std::int32_t r) {
    const auto cell = slot.cells.find(r);
    const auto progress = c.progress.find(r);
    return cell != slot.cells.end() && closing_barrier(cell->second) &&
           progress != c.progress.end() && progress->second.left;
  });
  f.cls = !tie && all_left   ? "ledger.left_loop"
          : hung(attempt, c) ? "ledger.signature_differs"
                             : "ledger.silent_mismatch";
  return f;
}

}  // namespace

std::vector<Finding> find_mismatches(const Attempt& attempt) {
  std::vector<Finding> found;
  for (const Communicator& c : attempt.communicators) {
    const Slot* slot = first_difference(c);
    if (slot == nullptr || point_to_point(*slot)) continue;
    const std::vector<RankSet> classes = signature_classes(*slot);
    if (classes.size() < 2) continue;
    found.push_back(describe(attempt, c, *slot, classes));
  }
  // A clear vote decides the ties it speaks about.
  RankSet clear;
  for (const Finding& f : found) {
    if (f.detail("tie").empty()) clear.merge(f.subjects);
  }
  for (Finding& f : found) {
    if (f.detail("tie").empty()) continue;
    const RankSet named = f.subjects.intersect(clear);
    if (named.empty() || named == f.subjects) continue;
    f.others = f.subjects.minus(named);
    f.subjects = named;
    std::erase_if(f.details, [](const Capture& d) { return d.name == "tie"; });
  }
  return found;
}

}  // namespace firstfault
