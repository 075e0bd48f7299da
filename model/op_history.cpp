#include "model/op_history.h"

#include <bit>

#include "base/hash.h"
#include "model/op_row.h"

namespace firstfault {

namespace {

constexpr std::int64_t kFirstUserReduction = 5;

void halve(std::vector<std::uint64_t>* hashes) {
  for (std::size_t i = 0; i + 1 < hashes->size(); i += 2) {
    (*hashes)[i / 2] = hash_combine((*hashes)[i], (*hashes)[i + 1]);
  }
  hashes->resize(hashes->size() / 2);
}

}  // namespace

void OpHistory::add(const OpRow& row) {
  if (!is_point_to_point(row.kind)) {
    open_ = hash_combine(open_, static_cast<std::uint64_t>(row.kind));
    open_ = hash_combine(open_, static_cast<std::uint64_t>(row.datatype));
    open_ = hash_combine(open_, row.count);
    open_ = hash_combine(open_, static_cast<std::uint64_t>(row.root));
    if (row.reduction < kFirstUserReduction) {
      open_ = hash_combine(open_, static_cast<std::uint64_t>(row.reduction));
    }
  }
  if (++total_ % kRows == 0) close_leaf();
}

// A binary counter: two halves of one size make one of twice the size.
void OpHistory::close_leaf() {
  const std::uint64_t leaf = total_ / kRows - 1;  // its number
  std::uint64_t hash = open_;
  open_ = 0;
  for (std::uint32_t k = 0; k < level_; ++k) {
    if ((leaf >> k & 1) == 0) {
      halves_.push_back(hash);
      return;
    }
    hash = hash_combine(halves_.back(), hash);
    halves_.pop_back();
  }
  blocks_.push_back(hash);
  if (blocks_.size() < kMost) return;
  halve(&blocks_);
  ++level_;
}

std::vector<std::uint64_t> OpHistory::blocks_of(std::uint64_t rows) const {
  std::vector<std::uint64_t> out = blocks_;
  for (std::uint64_t have = block_rows(); have < rows; have *= 2) halve(&out);
  return out;
}

bool OpHistory::holds() const {
  const std::uint64_t leaves = total_ / kRows;
  std::uint32_t level = 0;
  while (leaves >> level >= kMost) ++level;
  const std::uint64_t below = leaves & ((std::uint64_t{1} << level) - 1);
  return level_ == level && blocks_.size() == leaves >> level &&
         halves_.size() == static_cast<std::size_t>(std::popcount(below));
}

}  // namespace firstfault
