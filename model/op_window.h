// The operations that one rank enqueued on one communicator, as NCCL's COLL lines told them.
//
// Bounded: the newest rows are kept, coded in 5 to 11 bytes each; at most kWindow of them and at
// most limit() bytes. Of all rows ever pushed a history of hashes stays. A row's place is its own
// 1-based index on that communicator, never NCCL's opCount (which stays 0 on some versions).
//
//   window.push(row);
//   std::uint64_t index = window.first_index();
//   for (const OpRow& row : window.rows()) use(index++, row);   // decodes one block after the
//   other
#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

#include "model/op_codec.h"
#include "model/op_history.h"
#include "model/op_row.h"

namespace firstfault {

inline constexpr std::size_t kOpBlockRows = 64;  // coded together

class OpWindow;

// The kept rows, oldest first. Valid until the window changes.
class OpRows {
 public:
  class Iterator {
   public:
    using value_type = OpRow;
    using difference_type = std::ptrdiff_t;
    using reference = const OpRow&;
    using pointer = const OpRow*;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default;
    Iterator(const OpWindow* window, std::size_t at);
    const OpRow& operator*() const { return rows_[at_ % kOpBlockRows]; }
    Iterator& operator++();
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const OpWindow* window_ = nullptr;
    std::size_t at_ = 0;
    std::vector<OpRow> rows_;  // of the block that at_ is in
  };

  explicit OpRows(const OpWindow* window) : window_(window) {}
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  OpRow front() const { return *begin(); }  // requires !empty()
  OpRow back() const;
  Iterator begin() const { return {window_, 0}; }
  Iterator end() const { return {window_, size()}; }

 protected:
  const OpWindow* window_;
};

// The same, for bounding stamps once later lines are known: rows()[i].stamp is the stamp that row i
// shares with all rows behind it, or nobody's if they differ.
class OpenRows : public OpRows {
 public:
  struct OpenRow {
    Stamp& stamp;
  };
  explicit OpenRows(OpWindow* window) : OpRows(window), open_(window) {}
  OpenRow operator[](std::size_t i);

 private:
  OpWindow* open_;
  Stamp nobody_;
};

class OpWindow {
 public:
  static constexpr std::size_t kWindow = 4096;
  static constexpr std::uint32_t kMostBytes = 64u << 10;

  void push(const OpRow& row);

  std::uint64_t total() const { return history_.total(); }           // rows ever pushed
  std::size_t size() const { return size_; }                         // rows kept
  std::size_t collectives() const;                                   // of the kept rows
  std::uint64_t first_index() const { return total() - size_ + 1; }  // of the oldest kept row
  OpRows rows() const { return OpRows(this); }
  OpenRows rows() { return OpenRows(this); }
  const OpHistory& history() const { return history_; }

  // Block k holds the kept rows [k*kOpBlockRows, (k+1)*kOpBlockRows).
  std::vector<OpRow> block(std::size_t k) const;

  // Room for the coded rows; the oldest go when it is full. At least one block is kept.
  void limit(std::uint32_t bytes);
  std::size_t coded_bytes() const { return rows_.size() + stamps_.size(); }

  // Rebuilds a window that was written to disk.
  static OpWindow restore(OpHistory history, const std::vector<OpRow>& rows);

  friend bool operator==(const OpWindow& a, const OpWindow& b);

 private:
  friend class OpRows;
  friend class OpenRows;
  struct Block {
    std::uint32_t row_bytes = 0, stamp_bytes = 0;
    std::uint16_t stamped = 0;  // rows whose stamp is written; the others have the last row's
    std::uint16_t collectives = 0;
  };

  void keep(const OpRow& row);
  void close_run();
  void make_room();
  void drop_blocks(std::size_t count);

  OpHistory history_;
  std::uint32_t size_ = 0;
  std::uint32_t limit_ = kMostBytes;
  std::uint32_t run_ = 0;  // newest rows that share last_.stamp, not yet written
  Bytes rows_, stamps_;
  std::vector<Block> blocks_;
  OpCoder coder_;  // of the last block
  Stamp written_;  // the last one in the last block's stamps
  OpRow last_;
};

}  // namespace firstfault
