// Do two views of one communicator tell the same operations?
//
// A COLL line's place is its own 1-based index among the collectives of that communicator, c10d's
// and the Flight Recorder's is a sequence number; on PyTorch both usually start at 1 together. A
// barrier of c10d is an AllReduce of one element to NCCL.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/facts.h"
#include "timeline/groups.h"

namespace firstfault {

// all_reduce and barrier are one kind when layers are compared.
bool same_kind_across_layers(OpKind a, OpKind b);

// The collectives of one stream by own index, decoded a block at a time: walk upwards.
class CollRows {
 public:
  CollRows() = default;
  explicit CollRows(const OpStream& stream);  // which must outlive it

  bool numbered() const { return numbered_; }    // own indices are known
  std::int64_t total() const { return total_; }  // collectives ever issued
  std::int64_t first() const { return total_ - kept_ + 1; }
  // Absent: fallen out of the window, or never issued.
  std::optional<OpRow> at(std::int64_t index) const;

 private:
  bool numbered_ = false;
  std::int64_t total_ = 0, kept_ = 0;
  const OpWindow* window_ = nullptr;
  std::vector<std::uint32_t> places_;  // in the window, if it holds send and recv as well
  mutable std::size_t decoded_ = 0;    // number of the block in rows_
  mutable std::vector<OpRow> rows_;
};

// One collective of a dump: the first entry of its number; `more` counts further entries of a
// coalesced operation.
struct FrRow {
  std::int64_t seq = -1;
  const FrEntry* entry = nullptr;
  std::uint32_t index = 0;  // in FrDump::entries
  std::uint32_t more = 0;
};

// The collectives of one group in a dump, ascending sequence numbers. Work and memory are linear in
// the dump when its entries are in order, as they are in every honest one.
class FrRows {
 public:
  FrRows() = default;
  explicit FrRows(const FrView& view);

  const FrRow* at(std::int64_t seq) const;  // nullptr: no entry of that number
  bool empty() const { return rows_.empty(); }
  const FrRow& front() const { return rows_.front(); }  // requires !empty()
  const FrRow& back() const { return rows_.back(); }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

 private:
  std::vector<FrRow> rows_;
};

// seq - own index for which all operations that both layers tell agree; absent if none does.
std::optional<std::int64_t> alignment(const FrRows& fr, const CollRows& coll);

// 1: that rank has this operation on the group by FR or COLL; -1: has another one; 0: nothing
// known.
int failure_agrees(const Group& group, std::int32_t rank, const WorkFailure& failure);

}  // namespace firstfault
