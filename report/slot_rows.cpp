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

bool is_odd(const Communicator& communicator, const Slot& slot) {
  const Cell* first = nullptr;
  for (const auto& [rank, cell] : slot.cells) {
    if (first == nullptr) first = &cell;
    if (same(cell) != same(*first)) return true;
    if (communicator.timed_out && cell.issued && !cell.completed) return true;
  }
  return false;
}

}  // namespace

std::vector<SlotRow> slot_rows(const Communicator& communicator, const Slot& slot) {
  std::vector<SlotRow> rows;
  std::map<decltype(same(Cell{})), std::size_t> place;  // in rows, which are by smallest rank
  std::vector<std::vector<std::int32_t>> ranks;
  std::vector<std::int32_t> heard;
  for (const auto& [rank, cell] : slot.cells) {
    heard.push_back(rank);
    const auto [at, is_new] = place.try_emplace(same(cell), rows.size());
    if (is_new) {
      rows.push_back({{}, &cell});
      ranks.emplace_back();
    }
    ranks[at->second].push_back(rank);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].ranks = RankSet(std::move(ranks[i]));
  const RankSet silent = communicator.members.minus(RankSet(std::move(heard)));
  if (!silent.empty()) rows.push_back({silent, nullptr});
  return rows;
}

std::vector<OddSlot> odd_slots(const Attempt& attempt, const std::string& communicator,
                               std::int64_t seq) {
  std::vector<OddSlot> out;
  for (const Communicator& c : attempt.communicators) {
    for (const Slot& slot : c.slots) {
      const bool failed_here = c.id == communicator && slot.seq == seq;
      if (failed_here || is_odd(c, slot)) out.push_back({&c, &slot, failed_here});
    }
  }
  return out;
}

std::vector<ShownSlot> within(const std::vector<OddSlot>& slots, std::size_t most) {
  std::vector<ShownSlot> out(slots.size());
  for (const bool failed : {true, false}) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].failed_here != failed) continue;
      ShownSlot& shown = out[i];
      shown.communicator = slots[i].communicator;
      shown.slot = slots[i].slot;
      if (most == 0) continue;
      shown.rows = slot_rows(*shown.communicator, *shown.slot);
      if (shown.rows.size() > most) {
        shown.omitted = shown.rows.size() - most;
        shown.rows.resize(most);
      }
      most -= shown.rows.size();
    }
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
