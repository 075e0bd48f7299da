// What stays of all operations that a rank ever enqueued on a communicator: their number, and
// hashes over blocks of them, so that two ranks can be compared over their whole history.
//
// A hash covers the comparable fields of collectives only. Bounded: a block has kRows rows until
// kMost blocks are full; then two neighbours become one and every block is twice as long. The hash
// of a long block is made of the hashes of its halves, so histories of different length compare.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "model/operation.h"

namespace firstfault {

struct OpRow;

class OpHistory {
 public:
  static constexpr std::uint64_t kRows = 1024;
  static constexpr std::size_t kMost = 64;

  void add(const OpRow& row);

  std::uint64_t total() const { return total_; }  // rows ever added
  std::uint64_t block_rows() const { return kRows << level_; }
  const std::vector<std::uint64_t>& blocks() const { return blocks_; }  // the full ones
  // The same over blocks of `rows` rows: a power of two times block_rows().
  std::vector<std::uint64_t> blocks_of(std::uint64_t rows) const;

  // For the digest: everything, and whether it can have come about.
  auto fields() { return std::tie(total_, open_, level_, halves_, blocks_); }
  bool holds() const;

  friend bool operator==(const OpHistory&, const OpHistory&) = default;

 private:
  void close_leaf();

  std::uint64_t total_ = 0;
  std::uint64_t open_ = 0;             // hash of the kRows rows that are not yet complete
  std::uint32_t level_ = 0;            // a block is 2^level_ times kRows
  std::vector<std::uint64_t> halves_;  // of the block not yet full: 2^k leaves each, falling k
  std::vector<std::uint64_t> blocks_;
};

}  // namespace firstfault
