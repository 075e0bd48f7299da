// The operations of one source, a window for each communicator of each process.
//
// All sources of a job share kLedgerBytes, whatever the length of its logs. Others are not looked
// at, so that the result does not depend on which sources are read together: that a log of one rank
// of 16,384 has 16,383 sisters is concluded from the size of its largest communicator.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "model/op_window.h"

namespace firstfault {

// Operations of one communicator pointer of one process: a new one starts at each Init of the
// pointer.
struct OpStream {
  std::uint32_t speaker = 0;
  std::uint64_t comm = 0;
  std::uint32_t incarnation = 0;  // counts Init lines of this pointer in this process, from 0
  std::int32_t nranks = 0;
  OpWindow ops;

  friend bool operator==(const OpStream&, const OpStream&) = default;
};

class OpStreams {
 public:
  using value_type = OpStream;
  static constexpr std::uint64_t kLedgerBytes = 192u << 20;
  static constexpr std::uint32_t kFewestBytes = 1u << 10;  // of one window

  OpStreams() = default;
  OpStreams(std::initializer_list<OpStream> streams);

  void push_back(OpStream stream);
  void clear() { *this = {}; }

  std::size_t size() const { return streams_.size(); }
  bool empty() const { return streams_.empty(); }
  OpStream& operator[](std::size_t i) { return streams_[i]; }
  const OpStream& operator[](std::size_t i) const { return streams_[i]; }
  OpStream& back() { return streams_.back(); }
  auto begin() { return streams_.begin(); }
  auto end() { return streams_.end(); }
  auto begin() const { return streams_.begin(); }
  auto end() const { return streams_.end(); }

  // Room that a window of this source has now.
  std::uint32_t window_bytes() const { return window_bytes_; }

  friend bool operator==(const OpStreams& a, const OpStreams& b) {
    return a.streams_ == b.streams_;
  }

 private:
  std::uint32_t fair_share() const;

  std::vector<OpStream> streams_;
  std::vector<bool> speaks_;  // by speaker
  std::uint64_t speakers_ = 0;
  std::uint64_t largest_ = 1;  // communicator
  std::uint32_t window_bytes_ = OpWindow::kMostBytes;
};

}  // namespace firstfault
