// A source of bytes in windows.
//
// `next` yields the following window, an empty view at the end. An error means that the rest cannot
// be had (truncated, damaged, refused by a limit); what came before stays good, and every later
// call yields the end. A window is valid until the next call.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "parser/io/random_bytes.h"

namespace firstfault {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual Result<std::string_view> next() = 0;
  // Goes back to the first byte, if the stream can.
  virtual bool rewind() { return false; }
  // The same bytes at any place, if the stream can give them without reading what stands before;
  // nullptr otherwise. Using it does not move the stream.
  virtual const RandomBytes* random() const { return nullptr; }
};

// Yields one error: stands for a member that cannot be read at all.
class FailedStream : public ByteStream {
 public:
  explicit FailedStream(Error error) : error_(std::move(error)) {}
  Result<std::string_view> next() override { return error_; }

 private:
  Error error_;
};

// A stream whose beginning can be looked at before it is read.
class PeekedStream : public ByteStream {
 public:
  // Reads ahead until `wanted` bytes are there or the stream ends.
  PeekedStream(ByteStream& rest, std::size_t wanted);
  std::string_view head() const { return head_; }
  Result<std::string_view> next() override;
  bool rewind() override;
  const RandomBytes* random() const override { return rest_.random(); }

 private:
  ByteStream& rest_;
  std::string head_;
  Result<std::string_view> pending_ = std::string_view();  // an error met while reading ahead
  bool given_ = false;
};

}  // namespace firstfault
