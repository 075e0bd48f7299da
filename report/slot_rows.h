// A slot of the ledger in rows of ranks that did the same, and which slots are worth showing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job.h"

namespace firstfault {

struct SlotRow {
  RankSet ranks;
  const Cell* cell = nullptr;  // of one of them; nullptr: nothing known of these members
};

struct OddSlot {
  const Communicator* communicator = nullptr;
  const Slot* slot = nullptr;
  bool failed_here = false;  // the collective of the first failure
};

struct ShownSlot {
  const Communicator* communicator = nullptr;
  const Slot* slot = nullptr;
  std::vector<SlotRow> rows;  // empty: no room for it
  std::size_t omitted = 0;    // rows left out
};

std::vector<SlotRow> slot_rows(const Communicator& communicator, const Slot& slot);

// Slots where members differ, or, on a communicator that timed out, that were issued but did not
// complete; and the one of the first failure (`communicator`, `seq`). In order of communicator and
// seq.
std::vector<OddSlot> odd_slots(const Attempt& attempt, const std::string& communicator,
                               std::int64_t seq);
// The same slots in the same order with at most `most` rows in all. Rows are given to the
// collective of the first failure, then to the rest in order.
std::vector<ShownSlot> within(const std::vector<OddSlot>& slots, std::size_t most);

const char* grade_name(Grade grade);
const char* seq_kind_name(SeqKind kind);

}  // namespace firstfault
