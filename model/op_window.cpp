#include "model/op_window.h"

#include "base/hash.h"

namespace firstfault {

void OpWindow::push(const OpRow& row) {
  if (!is_point_to_point(row.kind)) {
    open_hash_ = hash_combine(open_hash_, static_cast<std::uint64_t>(row.kind));
    open_hash_ = hash_combine(open_hash_, static_cast<std::uint64_t>(row.datatype));
    open_hash_ = hash_combine(open_hash_, row.count);
    open_hash_ = hash_combine(open_hash_, static_cast<std::uint64_t>(row.root));
    if (row.reduction < 5) open_hash_ = hash_combine(open_hash_, static_cast<std::uint64_t>(row.reduction));
  }
  rows_.push_back(row);
  if (rows_.size() > kWindow) rows_.pop_front();
  if (++total_ % kBlock == 0) {
    block_hashes_.push_back(open_hash_);
    open_hash_ = 0;
  }
}

OpWindow OpWindow::restore(std::uint64_t total, std::uint64_t open_hash,
                           std::vector<std::uint64_t> block_hashes, std::deque<OpRow> rows) {
  OpWindow out;
  out.total_ = total;
  out.open_hash_ = open_hash;
  out.block_hashes_ = std::move(block_hashes);
  out.rows_ = std::move(rows);
  return out;
}

}  // namespace firstfault
