// Rows of operations as bytes: each as what differs from the row before, about 5 bytes for those
// of a training loop. Two columns, because a stamp may still be bounded when its row is written
// already.
//
//   OpCoder coder;                       // one for each block; the reader starts with a fresh one
//   coder.write(row, &bytes);
//   const unsigned char* end = coder.read(at, &row);   // all fields but the stamp
//
// The bytes are the program's own and never come from a file: nothing is checked.
#pragma once

#include <cstdint>
#include <vector>

#include "model/op_row.h"

namespace firstfault {

using Bytes = std::vector<unsigned char>;

class OpCoder {
 public:
  void write(const OpRow& row, Bytes* out);
  const unsigned char* read(const unsigned char* at, OpRow* row);

 private:
  // Loops repeat a few calls; the last kCalls different ones are named by number.
  static constexpr unsigned kCalls = 8;
  struct Call {
    std::uint64_t count = 0;
    std::int64_t reduction = 0;
    std::int32_t root = 0;
    OpKind kind = OpKind::unknown;
    std::int8_t datatype = -1;
    friend bool operator==(const Call&, const Call&) = default;
  };

  std::uint64_t offset_ = 0, op_count_ = 0, op_step_ = 0;
  std::uint32_t length_ = 0, line_ = 0, line_step_ = 0;
  Call calls_[kCalls];
  std::uint8_t oldest_ = 0;
};

// `rows` rows in a row have this stamp; `before` is that of the rows before them in the block.
void write_stamps(std::uint32_t rows, const Stamp& stamp, const Stamp& before, Bytes* out);
// *stamp holds the one before on entry.
const unsigned char* read_stamps(const unsigned char* at, std::uint32_t* rows, Stamp* stamp);

}  // namespace firstfault
