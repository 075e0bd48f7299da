#include "parser/lines/prefix.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

std::vector<Piece> strip(std::string_view line) {
  std::vector<Piece> out;
  strip_prefixes(line, 0, 1, SourceKind::rank_log, &out);
  return out;
}

TEST(Prefix, LayersStackInAnyNumber) {
  const auto p = strip(
      "3: [default1]:[rank7]:[E1201 03:44:59.594968084 ProcessGroupNCCL.cpp:689] [Rank 1] text");
  ASSERT_EQ(p.size(), 1u);
  EXPECT_EQ(p[0].view.text, "[Rank 1] text");
  EXPECT_EQ(p[0].facts.speaker.task, 3);
  EXPECT_EQ(p[0].facts.speaker.local_rank, 1);
  EXPECT_EQ(p[0].facts.speaker.global_rank, 7);
  EXPECT_EQ(p[0].view.layer, Layer::c10d);
}

TEST(Prefix, FractionOfC10dStampIsNotOfItsSecond) {
  const auto p = strip("[rank0]:[E1201 03:44:59.594968084 ProcessGroupNCCL.cpp:689] x");
  EXPECT_EQ(p[0].facts.stamp.time.hi - p[0].facts.stamp.time.lo, kSecond - 1);
  EXPECT_EQ(p[0].facts.stamp.monotonic_fraction_ns, 594968084);
  EXPECT_TRUE(p[0].facts.stamp.yearless);
}

TEST(Prefix, NcclWordInsideAMessageIsNoPrefix) {
  const auto p = strip(
      "[rank2]: torch.distributed.DistBackendError: NCCL error in: /pytorch/x.cpp:93, remote");
  EXPECT_EQ(p[0].view.text,
            "torch.distributed.DistBackendError: NCCL error in: /pytorch/x.cpp:93, remote");
  EXPECT_EQ(p[0].view.layer, Layer::plain);
}

TEST(Prefix, WarnCarriesTimeFileAndLine) {
  const auto p = strip(
      "[2026-12-01 03:46:33] gpu-node-2:1187:1354 [0] misc/socket.cc:72 NCCL WARN socketProgress: "
      "closed");
  EXPECT_EQ(p[0].view.text, "socketProgress: closed");
  EXPECT_EQ(p[0].view.code_file, "misc/socket.cc");
  EXPECT_EQ(p[0].view.code_line, 72);
  EXPECT_EQ(p[0].facts.speaker.host, "gpu-node-2");
  EXPECT_EQ(p[0].facts.speaker.pid, 1187);
  EXPECT_EQ(p[0].facts.stamp.clock, Clock::wall);
}

TEST(Prefix, LineGluedToAProgressBarIsCut) {
  const auto p = strip(
      "Epoch 0:  6%|#  | 32040/500150 [6:28:43<94:39:17][rank3]:[E126 01:17:58.5 "
      "ProcessGroupNCCL.cpp:563] [Rank 3] Watchdog");
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(p[1].view.text, "[Rank 3] Watchdog");
  EXPECT_EQ(p[1].facts.speaker.global_rank, 3);
}

TEST(Prefix, TwoNcclLinesInOnePhysicalLine) {
  const auto p = strip("node-a:1:1 [0] NCCL INFO halfnode-b:2:2 [1] NCCL INFO whole");
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(p[1].view.text, "whole");
  EXPECT_EQ(p[1].facts.speaker.pid, 2);
}

TEST(Prefix, KernelBootSeconds) {
  const auto p = strip("[  229.256144] NVRM: Xid (PCI:0000:00:06): 31");
  EXPECT_EQ(p[0].facts.stamp.clock, Clock::boot);
  EXPECT_EQ(p[0].view.text, "NVRM: Xid (PCI:0000:00:06): 31");
}

TEST(Prefix, HostileBytesStayText) {
  for (const std::string& line :
       {std::string("[rank"), std::string("[E"), std::string("[default]:"), std::string("\x1b["),
        std::string("(pid="), std::string(100000, '['), std::string("\0\0\0", 3),
        std::string("99999999999999999999: x")}) {
    const auto p = strip(line);
    ASSERT_FALSE(p.empty());
    EXPECT_EQ(p[0].facts.speaker.global_rank, -1);
  }
}

}  // namespace
}  // namespace firstfault
