#include "parser/nccl/ras_text.h"

#include <gtest/gtest.h>

#include "support/support.h"

namespace firstfault {
namespace {

std::vector<RasStatus> statuses(const std::deque<RecordItem>& items) {
  std::vector<RasStatus> out;
  for (const RecordItem& item : items) {
    if (const auto* status = std::get_if<RasStatus>(&item.record)) out.push_back(*status);
  }
  return out;
}

TEST(RasText, RankThatLagsIsNamed) {
  const std::string bytes = test::read_file(test::source_path("tests/data/ras/missing.txt"));
  const std::deque<RecordItem> items = read_ras_text(bytes);
  ASSERT_EQ(items.size(), 3u);  // two answers of one version
  EXPECT_EQ(std::get<Version>(items[0].record).value, "2.28.9");

  const auto& first = std::get<RasStatus>(items[1].record);
  EXPECT_EQ(first.comm_hash, 0x9282e5d5cfdce9a9ULL);
  EXPECT_EQ(first.status, "MISMATCH");
  EXPECT_EQ(first.op, "AllReduce");
  EXPECT_EQ(first.majority_launched, 4);
  ASSERT_EQ(first.odd.size(), 1u);
  EXPECT_EQ(first.odd[0].rank, 3);
  EXPECT_EQ(first.odd[0].launched, 3);
  EXPECT_EQ(first.odd[0].pid, 554);
  EXPECT_EQ(first.odd[0].node, "127.0.0.1");
  EXPECT_EQ(first.odd[0].what, "launched up to operation 3");

  const Quote& quote = items[1].quote;
  EXPECT_EQ(quote.line, 24u);
  EXPECT_EQ(bytes.substr(quote.offset, 28), "#0-0 (9282e5d5cfdce9a9) MISM");
  EXPECT_EQ(bytes.substr(quote.offset + quote.length - 9, 9), "127.0.0.1");

  const auto& second = std::get<RasStatus>(items[2].record);
  EXPECT_EQ(second.op, "");
  ASSERT_EQ(second.odd.size(), 1u);
  EXPECT_EQ(second.odd[0].what, "status NOCOMM");
  EXPECT_EQ(second.odd[0].launched, -1);
}

TEST(RasText, DeadProcessAndMissingRank) {
  const std::vector<RasStatus> all = statuses(
      read_ras_text("Errors\n======\n\nDEAD\n"
                    "  1 job process is considered dead (unreachable via the RAS network)\n"
                    "  Process 41027 on node 10.0.0.6 managing GPU 3\n\n"
                    "#0-0 (6eee71aa6c9108d6) INCOMPLETE\n"
                    "  Missing communicator data from 2 ranks\n"
                    "  Rank 11 -- GPU 3 managed by process 41027 on node 10.0.0.6\n"
                    "  Rank 12 -- [process information not found]\n"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].status, "DEAD");
  ASSERT_EQ(all[0].odd.size(), 1u);
  EXPECT_EQ(all[0].odd[0].rank, -1);
  EXPECT_EQ(all[0].odd[0].pid, 41027);
  EXPECT_EQ(all[0].odd[0].node, "10.0.0.6");
  EXPECT_EQ(all[1].status, "INCOMPLETE");
  ASSERT_EQ(all[1].odd.size(), 2u);
  EXPECT_EQ(all[1].odd[0].rank, 11);
  EXPECT_EQ(all[1].odd[0].what, "not responding");
  EXPECT_EQ(all[1].odd[1].rank, 12);
  EXPECT_EQ(all[1].odd[1].pid, -1);
}

TEST(RasText, TwoOperationsOfOneCommunicatorAreTwoStatements) {
  const std::vector<RasStatus> all = statuses(read_ras_text(
      "#0-0 (ab) MISMATCH\r\n"
      "  Communicator ranks have different AllReduce operation counts\r\n"
      "  1 rank has launched up to operation 9\r\n"
      "  3 ranks have not launched any operations\r\n"
      "  Rank 0 has launched up to operation 9 -- GPU 0 managed by process 1 on node a\r\n"
      "  Communicator ranks have different collective operation counts\r\n"
      "  3 ranks have launched up to operation 5\r\n"
      "  Rank 2 has not launched any operations -- GPU 0 managed by process 2 on node a\r\n"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].op, "AllReduce");
  EXPECT_EQ(all[0].majority_launched, 0);  // three against one
  EXPECT_EQ(all[1].comm_hash, 0xabu);
  EXPECT_EQ(all[1].op, "");
  ASSERT_EQ(all[1].odd.size(), 1u);
  EXPECT_EQ(all[1].odd[0].launched, 0);
}

TEST(RasText, HealthyAnswerSaysOnlyItsVersion) {
  const std::deque<RecordItem> items = read_ras_text(
      "NCCL version 2.28.9 compiled with CUDA 13.0\nErrors\n======\n\nWarnings\n========\n");
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].quote.line, 1u);
}

TEST(RasText, TornAndStrangeHeadsAreIgnored) {
  EXPECT_TRUE(read_ras_text("#0-0 (zz) MISMATCH\n  Rank 1 has status X\n").empty());
  EXPECT_TRUE(read_ras_text("#0-0 (ab\n").empty());
  EXPECT_TRUE(read_ras_text("#\n\n  Rank 99999999999999999999 -- x\n").empty());
  EXPECT_TRUE(read_ras_text("").empty());
}

}  // namespace
}  // namespace firstfault
