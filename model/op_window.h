// The operations that one rank enqueued on one communicator, as NCCL's COLL lines told them.
//
// Bounded: the last kWindow rows are kept; of every block of kBlock rows a hash over the comparable
// fields of collectives stays for good, so that two ranks can be compared over their whole history.
// A row's place is its own 1-based index on that communicator, never NCCL's opCount (which stays 0
// on some versions).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "model/operation.h"
#include "model/stamp.h"

namespace firstfault {

struct OpRow {
  OpKind kind = OpKind::unknown;
  std::int8_t datatype = -1;      // ncclDataType_t
  std::int64_t reduction = 0;     // ncclRedOp_t; values >= 5 are user operators, not comparable
  std::int32_t root = 0;          // root, or the peer of send/recv (communicator ranks)
  std::uint64_t count = 0;        // as printed: bytes for AllGather/Broadcast before 2.22
  std::uint64_t op_count = 0;     // NCCL's opCount, only for quoting
  std::uint64_t offset = 0;       // of the line in its source, decoded bytes
  std::uint32_t length = 0;
  std::uint32_t line = 0;
  Stamp stamp;

  friend bool operator==(const OpRow&, const OpRow&) = default;
};

class OpWindow {
 public:
  static constexpr std::size_t kWindow = 4096;
  static constexpr std::size_t kBlock = 1024;

  void push(const OpRow& row);

  std::uint64_t total() const { return total_; }  // rows ever pushed
  std::uint64_t first_index() const { return total_ - rows_.size() + 1; }  // of the oldest kept row
  const std::deque<OpRow>& rows() const { return rows_; }
  std::deque<OpRow>& rows() { return rows_; }  // for bounding stamps once later lines are known
  // Hash of rows [k*kBlock, (k+1)*kBlock), collectives only, comparable fields only.
  const std::vector<std::uint64_t>& block_hashes() const { return block_hashes_; }

  // Rebuilds a window that was written to disk.
  static OpWindow restore(std::uint64_t total, std::uint64_t open_hash,
                          std::vector<std::uint64_t> block_hashes, std::deque<OpRow> rows);
  std::uint64_t open_hash() const { return open_hash_; }  // of the block not yet full

  friend bool operator==(const OpWindow&, const OpWindow&) = default;

 private:
  std::uint64_t total_ = 0;
  std::uint64_t open_hash_ = 0;
  std::vector<std::uint64_t> block_hashes_;
  std::deque<OpRow> rows_;
};

}  // namespace firstfault
