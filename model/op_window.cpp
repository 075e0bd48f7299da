#include "model/op_window.h"

#include <algorithm>

namespace firstfault {

namespace {

constexpr std::size_t kMostCodedRow = 80;  // bytes of one row and its stamp, at the very most

// Grows by a quarter: doubling would waste as much as a hundred thousand windows hold.
void reserve_for(std::size_t more, Bytes* bytes) {
  const std::size_t wanted = bytes->size() + more;
  if (wanted > bytes->capacity()) bytes->reserve(std::max(wanted, bytes->size() * 5 / 4));
}

}  // namespace

OpRows::Iterator::Iterator(const OpWindow* window, std::size_t at) : window_(window), at_(at) {
  if (at < window->size()) rows_ = window->block(at / kOpBlockRows);
}

OpRows::Iterator& OpRows::Iterator::operator++() {
  if (++at_ % kOpBlockRows == 0 && at_ < window_->size())
    rows_ = window_->block(at_ / kOpBlockRows);
  return *this;
}

std::size_t OpRows::size() const { return window_->size(); }
OpRow OpRows::back() const { return window_->last_; }

OpenRows::OpenRow OpenRows::operator[](std::size_t i) {
  const bool open = i < open_->size_ && i >= open_->size_ - open_->run_;
  return {open ? open_->last_.stamp : nobody_};
}

void OpWindow::push(const OpRow& row) {
  history_.add(row);
  keep(row);
  make_room();
}

void OpWindow::keep(const OpRow& row) {
  if (run_ > 0 && row.stamp != last_.stamp) close_run();
  if (size_ % kOpBlockRows == 0) {
    if (blocks_.size() == blocks_.capacity()) blocks_.reserve(blocks_.size() * 5 / 4 + 1);
    blocks_.emplace_back();
    coder_ = {};
  }
  reserve_for(kMostCodedRow, &rows_);
  const std::size_t before = rows_.size();
  coder_.write(row, &rows_);
  Block& block = blocks_.back();
  block.row_bytes += static_cast<std::uint32_t>(rows_.size() - before);
  if (!is_point_to_point(row.kind)) ++block.collectives;
  last_ = row;
  ++run_;
  ++size_;
}

// The run's stamp is final: it goes into each block that the run reaches into.
void OpWindow::close_run() {
  for (std::size_t at = size_ - run_; run_ > 0;) {
    const std::size_t k = at / kOpBlockRows;
    Block& block = blocks_[k];
    const auto rows =
        static_cast<std::uint32_t>(std::min<std::size_t>(run_, (k + 1) * kOpBlockRows - at));
    if (block.stamped == 0) written_ = {};
    reserve_for(kMostCodedRow, &stamps_);
    const std::size_t before = stamps_.size();
    write_stamps(rows, last_.stamp, written_, &stamps_);
    written_ = last_.stamp;
    block.stamp_bytes += static_cast<std::uint32_t>(stamps_.size() - before);
    block.stamped = static_cast<std::uint16_t>(block.stamped + rows);
    at += rows;
    run_ -= rows;
  }
}

void OpWindow::limit(std::uint32_t bytes) {
  limit_ = std::min(bytes, kMostBytes);
  make_room();
  const std::size_t room = limit_ + kMostCodedRow;
  if (rows_.capacity() > room) rows_.shrink_to_fit();
  if (stamps_.capacity() > room) stamps_.shrink_to_fit();
}

// Goes down to seven eighths, so that the bytes that stay are not moved for every block.
void OpWindow::make_room() {
  if (size_ <= kWindow && coded_bytes() <= limit_) return;
  const std::size_t bytes_wanted = limit_ - limit_ / 8;
  std::size_t bytes = coded_bytes(), rows = size_, drop = 0;
  while (drop + 1 < blocks_.size() && (rows > kWindow - kWindow / 8 || bytes > bytes_wanted)) {
    bytes -= blocks_[drop].row_bytes + blocks_[drop].stamp_bytes;
    rows -= kOpBlockRows;
    ++drop;
  }
  if (drop > 0) drop_blocks(drop);
}

void OpWindow::drop_blocks(std::size_t count) {
  std::size_t rows = 0, stamps = 0;
  for (std::size_t k = 0; k < count; ++k) {
    rows += blocks_[k].row_bytes;
    stamps += blocks_[k].stamp_bytes;
  }
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(rows));
  stamps_.erase(stamps_.begin(), stamps_.begin() + static_cast<std::ptrdiff_t>(stamps));
  blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(count));
  size_ -= static_cast<std::uint32_t>(count * kOpBlockRows);
  run_ = std::min(run_, size_);
}

std::size_t OpWindow::collectives() const {
  std::size_t out = 0;
  for (const Block& block : blocks_) out += block.collectives;
  return out;
}

std::vector<OpRow> OpWindow::block(std::size_t k) const {
  const unsigned char* row_at = rows_.data();
  const unsigned char* stamp_at = stamps_.data();
  for (std::size_t b = 0; b < k; ++b) {
    row_at += blocks_[b].row_bytes;
    stamp_at += blocks_[b].stamp_bytes;
  }
  std::vector<OpRow> out(std::min<std::size_t>(kOpBlockRows, size_ - k * kOpBlockRows));
  OpCoder coder;
  Stamp stamp;
  std::uint32_t left = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    row_at = coder.read(row_at, &out[i]);
    if (i >= blocks_[k].stamped) {
      out[i].stamp = last_.stamp;
      continue;
    }
    if (left == 0) stamp_at = read_stamps(stamp_at, &left, &stamp);
    --left;
    out[i].stamp = stamp;
  }
  return out;
}

OpWindow OpWindow::restore(OpHistory history, const std::vector<OpRow>& rows) {
  OpWindow out;
  for (const OpRow& row : rows) out.keep(row);
  out.history_ = std::move(history);
  out.make_room();
  return out;
}

bool operator==(const OpWindow& a, const OpWindow& b) {
  return a.history_ == b.history_ && a.size_ == b.size_ &&
         std::equal(a.rows().begin(), a.rows().end(), b.rows().begin());
}

}  // namespace firstfault
