// Cells of the ledger from one Flight Recorder entry, one COLL row, or one watchdog line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "model/job.h"
#include "timeline/group_words.h"
#include "timeline/groups.h"
#include "timeline/op_agreement.h"
#include "timeline/scene.h"

namespace firstfault {

// "train.py:31 in step": the innermost frame outside of torch and installed packages; "" if none.
// Every stack of a dump is looked through once.
class UserFrames {
 public:
  const std::string& of(const FrDump& dump, std::uint32_t stack);

 private:
  std::map<std::pair<const FrDump*, std::uint32_t>, std::string> known_;
};

// `proven_up_to`: the last number of this stream that is completed and retired. A `completed` that
// is not retired and was noticed at or after the cut may have been written by the abort:
// Grade::nothing.
Cell cell_of_entry(const Scene& scene, const FrView& view, const FrRow& row,
                   std::int64_t proven_up_to, const Interval& cut, UserFrames* frames);
// `without_units`: leave out what versions of NCCL print in different units.
Cell cell_of_row(const Scene& scene, std::uint32_t source, const OpRow& row, bool without_units);
Cell cell_of_failure(const FailureWord& word);

// A COLL row has no text in Facts: this one is made from its fields, and marked lossy.
Quote quote_of_row(const OpRow& row);

}  // namespace firstfault
