// A slot of the ledger in rows of ranks that did the same.
#pragma once

#include <vector>

#include "model/job.h"

namespace firstfault {

struct SlotRow {
  RankSet ranks;
  const Cell* cell = nullptr;  // of one of them; nullptr: nothing known of these members
};

std::vector<SlotRow> slot_rows(const Communicator& communicator, const Slot& slot);
// Slots worth showing: members differ, or some did not complete. Earliest first.
std::vector<const Slot*> odd_slots(const Communicator& communicator, std::size_t most);
const char* grade_name(Grade grade);
const char* seq_kind_name(SeqKind kind);

}  // namespace firstfault
