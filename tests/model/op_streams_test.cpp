#include "model/op_streams.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

OpRow row(std::uint64_t i) {
  OpRow out;
  out.kind = OpKind::all_reduce;
  out.count = i % 5;
  out.op_count = i;
  out.offset = i * 211;
  out.length = static_cast<std::uint32_t>(190 + i % 3);
  out.line = static_cast<std::uint32_t>(i);
  return out;
}

OpStream stream(std::uint32_t speaker, std::uint64_t comm, std::int32_t nranks) {
  OpStream out;
  out.speaker = speaker;
  out.comm = comm;
  out.nranks = nranks;
  return out;
}

TEST(OpStreams, SmallJobKeepsWholeWindows) {
  OpStreams streams;
  for (std::uint64_t comm = 0; comm < 10; ++comm) streams.push_back(stream(0, comm, 8));
  EXPECT_EQ(streams.window_bytes(), OpWindow::kMostBytes);
}

// One of 16,384 logs with ten communicators each.
TEST(OpStreams, LogOfAHugeJobTakesItsShare) {
  OpStreams streams;
  for (std::uint64_t comm = 0; comm < 10; ++comm) {
    streams.push_back(stream(0, comm, comm == 0 ? 16'384 : 8));
    for (std::uint64_t i = 0; i < 10'000; ++i) streams[comm].ops.push(row(i));
  }
  std::size_t bytes = 0;
  for (const OpStream& s : streams) {
    EXPECT_LE(s.ops.coded_bytes(), streams.window_bytes());
    EXPECT_GE(s.ops.size(), 128u);
    bytes += s.ops.coded_bytes();
  }
  EXPECT_LE(bytes * 16'384, OpStreams::kLedgerBytes * 8 / 7 + 10 * 16'384 * 80);
}

TEST(OpStreams, LauncherLogOfAllRanksTakesNoMore) {
  OpStreams streams;
  for (std::uint32_t rank = 0; rank < 16'384; ++rank) {
    streams.push_back(stream(rank, 1, 16'384));
    streams.push_back(stream(rank, 2, 8));
  }
  EXPECT_LE(streams.window_bytes() * streams.size(), OpStreams::kLedgerBytes * 8 / 7);
  EXPECT_GT(streams.window_bytes(), 4096u);
}

}  // namespace
}  // namespace firstfault
