#include "model/op_window.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

OpRow row(OpKind kind, std::uint64_t count, std::int64_t reduction = 0) {
  OpRow out;
  out.kind = kind;
  out.count = count;
  out.reduction = reduction;
  return out;
}

TEST(OpWindow, KeepsTheNewestAndCountsAll) {
  OpWindow window;
  for (std::uint64_t i = 1; i <= 5000; ++i) window.push(row(OpKind::all_reduce, i));
  EXPECT_EQ(window.total(), 5000u);
  EXPECT_EQ(window.rows().size(), OpWindow::kWindow);
  EXPECT_EQ(window.first_index(), 5000 - OpWindow::kWindow + 1);
  EXPECT_EQ(window.rows().front().count, window.first_index());
  EXPECT_EQ(window.block_hashes().size(), 4u);
}

TEST(OpWindow, HashSeesACountThatDiffersLongAgo) {
  OpWindow a, b;
  for (std::uint64_t i = 0; i < 9000; ++i) {
    a.push(row(OpKind::all_reduce, 8));
    b.push(row(OpKind::all_reduce, i == 1500 ? 9 : 8));
  }
  EXPECT_EQ(a.block_hashes()[0], b.block_hashes()[0]);
  EXPECT_NE(a.block_hashes()[1], b.block_hashes()[1]);
  EXPECT_EQ(a.block_hashes()[2], b.block_hashes()[2]);
}

TEST(OpWindow, HashIgnoresWhatRanksMayDifferIn) {
  OpWindow a, b;
  for (std::uint64_t i = 0; i < OpWindow::kBlock; ++i) {
    const bool p2p = i % 2 == 0;
    a.push(row(p2p ? OpKind::send : OpKind::all_reduce, p2p ? 1 : 8, 5));
    b.push(row(p2p ? OpKind::recv : OpKind::all_reduce, p2p ? 2 : 8, 6));
  }
  EXPECT_EQ(a.block_hashes(), b.block_hashes());
}

}  // namespace
}  // namespace firstfault
