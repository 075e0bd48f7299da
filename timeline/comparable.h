// Which fields of an operation may be compared between ranks: one table, or silent-mismatch alarms
// are false.
//
// Like is compared with like (COLL line with COLL line, Flight Recorder entry with entry); across
// layers only the kind is, and there a barrier is an AllReduce. Fields that differ between ranks of
// one legal call are left out by kind: splits of all-to-all, roots where they mean nothing, inputs
// of gather and scatter, uneven lists of all-gather and reduce-scatter, user reductions. Unknown
// values never differ. Sources: docs/formats, "COLL line: field traps"; "Flight Recorder: entry
// fields".
//
//   if (auto d = signature_difference(a, b)) use(d->field, d->here, d->there);  // "dtype"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/job.h"

namespace firstfault {

struct FieldDifference {
  std::string field;  // "op", "dtype", "count", "out_count", "root", "reduction", "shape"
  std::string here, there;
};

// First field in which two issued cells differ, in order of weight; absent if they may be one call.
std::optional<FieldDifference> signature_difference(const Cell& a, const Cell& b);

// Members of a slot that issued it before the cut, by equal signature, largest class first (then by
// smallest rank). One class: all agree. Cells without a known kind are left out.
std::vector<RankSet> signature_classes(const Slot& slot);

// The earliest kept slot at which members differ; nullptr if none does.
const Slot* first_difference(const Communicator& communicator);

// The same comparison on rows as parsed, for looking through whole windows cheaply.
// `bytes_possible`: the job mixes NCCL versions that print counts of AllGather and Broadcast in
// different units.
bool rows_differ(const OpRow& a, const OpRow& b, bool bytes_possible);
bool entries_differ(const FrDump& dump_a, const FrEntry& a, const FrDump& dump_b, const FrEntry& b);

}  // namespace firstfault
