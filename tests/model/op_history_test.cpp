#include "model/op_history.h"

#include <gtest/gtest.h>

#include "model/op_row.h"

namespace firstfault {
namespace {

OpRow row(OpKind kind, std::uint64_t count, std::int64_t reduction = 0) {
  OpRow out;
  out.kind = kind;
  out.count = count;
  out.reduction = reduction;
  return out;
}

OpHistory history(std::uint64_t rows, std::uint64_t odd = ~std::uint64_t{0}) {
  OpHistory out;
  for (std::uint64_t i = 0; i < rows; ++i) out.add(row(OpKind::all_reduce, i == odd ? 9 : 8));
  return out;
}

TEST(OpHistory, HashSeesACountThatDiffersLongAgo) {
  const OpHistory a = history(9000), b = history(9000, 1500);
  EXPECT_EQ(a.blocks().size(), 8u);
  EXPECT_EQ(a.blocks()[0], b.blocks()[0]);
  EXPECT_NE(a.blocks()[1], b.blocks()[1]);
  EXPECT_EQ(a.blocks()[2], b.blocks()[2]);
}

TEST(OpHistory, HashIgnoresWhatRanksMayDifferIn) {
  OpHistory a, b;
  for (std::uint64_t i = 0; i < OpHistory::kRows; ++i) {
    const bool p2p = i % 2 == 0;
    a.add(row(p2p ? OpKind::send : OpKind::all_reduce, p2p ? 1 : 8, 5));
    b.add(row(p2p ? OpKind::recv : OpKind::all_reduce, p2p ? 2 : 8, 6));
  }
  EXPECT_EQ(a.blocks(), b.blocks());
}

TEST(OpHistory, LongLogTakesNoMoreRoomThanAShortOne) {
  OpHistory h;
  for (std::uint64_t i = 1; i <= 1'000'000; ++i) {
    h.add(row(OpKind::all_reduce, 8));
    ASSERT_LT(h.blocks().size(), OpHistory::kMost);
    if (i % 999 != 0) continue;
    ASSERT_TRUE(h.holds()) << i;
  }
  EXPECT_EQ(h.block_rows(), 16 * OpHistory::kRows);
  EXPECT_EQ(h.blocks().size(), 1'000'000 / h.block_rows());
}

TEST(OpHistory, HistoriesOfDifferentLengthCompare) {
  const OpHistory shorter = history(40'000), longer = history(300'000);
  const OpHistory odd = history(300'000, 20'000);
  const std::uint64_t rows = longer.block_rows();
  ASSERT_GT(rows, shorter.block_rows());
  const std::vector<std::uint64_t> blocks = shorter.blocks_of(rows);
  ASSERT_EQ(blocks.size(), 40'000 / rows);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    EXPECT_EQ(blocks[k], longer.blocks()[k]) << k;
    EXPECT_EQ(blocks[k] == odd.blocks()[k], k != 20'000 / rows) << k;
  }
}

TEST(OpHistory, StateThatCannotHaveComeAboutDoesNotHold) {
  OpHistory h = history(5000);
  EXPECT_TRUE(h.holds());
  std::get<0>(h.fields()) = 9000;
  EXPECT_FALSE(h.holds());
}

}  // namespace
}  // namespace firstfault
