#include "report/slot_rows.h"

#include <map>
#include <tuple>

namespace firstfault {

namespace {

auto same(const Cell& c) {
  const OpSignature& s = c.signature;
  return std::tuple(c.issued, c.completed, c.grade, c.after_cut, s.kind, s.count, s.dtype,
                    s.reduction, s.root);
}

}  // namespace

std::vector<SlotRow> slot_rows(const Communicator& communicator, const Slot& slot) {
  std::vector<SlotRow> rows;
  RankSet silent = communicator.members;
  for (const auto& [rank, cell] : slot.cells) {
    silent.erase(rank);
    SlotRow* row = nullptr;
    for (SlotRow& r : rows) {
      if (same(*r.cell) == same(cell)) row = &r;
    }
    if (row == nullptr) row = &rows.emplace_back(SlotRow{{}, &cell});
    row->ranks.insert(rank);
  }
  if (!silent.empty()) rows.push_back({silent, nullptr});
  return rows;
}

std::vector<const Slot*> odd_slots(const Communicator& communicator, std::size_t most) {
  std::vector<const Slot*> out;
  for (const Slot& slot : communicator.slots) {
    bool odd = false;
    const Cell* first = nullptr;
    for (const auto& [rank, cell] : slot.cells) {
      if (first == nullptr) first = &cell;
      odd = odd || same(cell) != same(*first);
      odd = odd || (communicator.timed_out && cell.issued && !cell.completed);
    }
    if (odd && out.size() < most) out.push_back(&slot);
  }
  return out;
}

const char* grade_name(Grade grade) {
  static constexpr const char* kNames[] = {"nothing", "reported", "proven"};
  return kNames[static_cast<std::size_t>(grade)];
}

const char* seq_kind_name(SeqKind kind) {
  static constexpr const char* kNames[] = {"c10d", "fr", "own_index"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace firstfault
