#include "parser/nccl/ras_json.h"

#include <gtest/gtest.h>

#include "parser/io/sniff.h"
#include "support/support.h"

namespace firstfault {
namespace {

std::string answer() {
  return test::read_file(test::source_path("tests/fuzz/seeds/ras_json/mismatch.json"));
}

std::vector<RasStatus> statuses(const std::deque<RecordItem>& items) {
  std::vector<RasStatus> out;
  for (const RecordItem& item : items) {
    if (const auto* status = std::get_if<RasStatus>(&item.record)) out.push_back(*status);
  }
  return out;
}

TEST(RasJson, RankThatLaunchedFewerIsNamedLikeInTheTextForm) {
  const std::string bytes = answer();
  EXPECT_EQ(sniff_kind(bytes, "x"), SourceKind::ras_status);
  const std::deque<RecordItem> items = read_ras_json(bytes);
  ASSERT_FALSE(items.empty());
  EXPECT_EQ(std::get<Version>(items[0].record).value, "2.28.9");
  const std::vector<RasStatus> all = statuses(items);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].comm_hash, 0x9282e5d5cfdce9a9u);
  EXPECT_EQ(all[0].status, "MISMATCH");
  EXPECT_EQ(all[0].op, "AllReduce");
  EXPECT_EQ(all[0].majority_launched, 4);
  ASSERT_EQ(all[0].odd.size(), 1u);
  EXPECT_EQ(all[0].odd[0].rank, 2);
  EXPECT_EQ(all[0].odd[0].launched, 3);
  EXPECT_EQ(all[0].odd[0].pid, 553);
  EXPECT_EQ(all[0].odd[0].node, "10.0.0.6");
  EXPECT_EQ(all[1].status, "INCOMPLETE");
  EXPECT_EQ(all[1].odd.at(0).what, "considered dead");
  EXPECT_EQ(all[2].status, "ERROR");
  EXPECT_EQ(all[2].odd.at(0).rank, 1);
}

TEST(RasJson, SeveralAnswersFollowOneAnother) {
  const std::deque<RecordItem> once = read_ras_json(answer());
  const std::deque<RecordItem> twice = read_ras_json(answer() + answer());
  ASSERT_EQ(twice.size(), 2 * once.size());
  EXPECT_EQ(twice.back().quote.offset, once.back().quote.offset + answer().size());
}

TEST(RasJson, CommunicatorThatIsCutOffIsNotCompared) {
  const std::string bytes = answer();
  const std::size_t cut = bytes.find("\"rank\":2,");
  EXPECT_TRUE(statuses(read_ras_json(bytes.substr(0, cut))).empty());
  for (std::size_t n = 0; n < bytes.size(); n += 5) (void)read_ras_json(bytes.substr(0, n));
}

}  // namespace
}  // namespace firstfault
