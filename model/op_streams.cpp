#include "model/op_streams.h"

#include <algorithm>

namespace firstfault {

OpStreams::OpStreams(std::initializer_list<OpStream> streams) {
  for (const OpStream& stream : streams) push_back(stream);
}

std::uint32_t OpStreams::fair_share() const {
  const std::uint64_t processes = std::max(largest_, speakers_);
  const std::uint64_t job = std::max<std::uint64_t>(1, processes * streams_.size() / speakers_);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(kLedgerBytes / job, kFewestBytes, OpWindow::kMostBytes));
}

void OpStreams::push_back(OpStream stream) {
  constexpr std::uint32_t kMostSpeakers = 1u << 24;
  if (stream.speaker < kMostSpeakers && stream.speaker >= speaks_.size()) {
    speaks_.resize(stream.speaker + 1);
  }
  if (stream.speaker < speaks_.size() && !speaks_[stream.speaker]) {
    speaks_[stream.speaker] = true;
    ++speakers_;
  }
  speakers_ = std::max<std::uint64_t>(speakers_, 1);
  largest_ = std::max(largest_, static_cast<std::uint64_t>(std::max(stream.nranks, 1)));
  streams_.push_back(std::move(stream));
  const std::uint32_t share = fair_share();
  // Not for every stream, or a log of a hundred thousand of them takes quadratic time.
  if (share < window_bytes_ - window_bytes_ / 8 ||
      (share == kFewestBytes && share < window_bytes_)) {
    window_bytes_ = share;
    for (OpStream& other : streams_) other.ops.limit(share);
  } else {
    streams_.back().ops.limit(window_bytes_);
  }
}

}  // namespace firstfault
