#include "model/op_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace firstfault {
namespace {

// A training loop's rows: two kinds by turns, lines of nearly one length.
OpRow row(std::uint64_t i) {
  OpRow out;
  out.kind = i % 2 == 0 ? OpKind::all_gather : OpKind::reduce_scatter;
  out.datatype = 9;
  out.count = i % 2 == 0 ? 1 << 20 : 1 << 22;
  out.op_count = i;
  out.offset = i * 1940 + i % 7;
  out.length = 194;
  out.line = static_cast<std::uint32_t>(i * 10);
  return out;
}

std::vector<OpRow> rows_of(const OpWindow& window) {
  std::vector<OpRow> out;
  for (const OpRow& r : window.rows()) out.push_back(r);
  return out;
}

TEST(OpWindow, KeepsTheNewestAndCountsAll) {
  constexpr std::uint64_t kFewest = OpWindow::kWindow * 7 / 8 - kOpBlockRows;
  OpWindow window;
  for (std::uint64_t i = 1; i <= 50'000; ++i) {
    window.push(row(i));
    ASSERT_LE(window.size(), OpWindow::kWindow);
    ASSERT_GE(window.size(), std::min<std::uint64_t>(i, kFewest));
  }
  EXPECT_EQ(window.total(), 50'000u);
  EXPECT_EQ(window.first_index(), 50'001 - window.size());
  std::uint64_t index = window.first_index();
  for (const OpRow& r : std::as_const(window).rows()) EXPECT_EQ(r, row(index++));
  EXPECT_EQ(index, 50'001u);
  EXPECT_EQ(window.rows().back(), row(50'000));
  EXPECT_EQ(window.rows().front(), row(window.first_index()));
}

TEST(OpWindow, RowOfALoopTakesFewBytes) {
  OpWindow window;
  for (std::uint64_t i = 0; i < 4000; ++i) window.push(row(i));
  EXPECT_LT(window.coded_bytes(), window.size() * 5);
}

// Beside the obvious way: every row as it is.
TEST(OpWindow, AnyRowsComeBackAsTheyWere) {
  std::uint64_t state = 1;
  const auto random = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return state >> 16;
  };
  OpWindow window;
  std::deque<OpRow> plain;
  for (int i = 0; i < 20'000; ++i) {
    OpRow r = row(random());
    const bool wild = random() % 4 == 0;
    r.kind = static_cast<OpKind>(random() % 13);
    r.root = wild ? static_cast<std::int32_t>(random()) : 0;
    r.reduction = wild ? static_cast<std::int64_t>(random() << 16) : 0;
    r.datatype = static_cast<std::int8_t>(random());
    if (wild) r.count = ~random();
    if (random() % 3 != 0) {
      r.stamp.clock = static_cast<Clock>(random() % 4);
      r.stamp.grade = static_cast<StampGrade>(random() % 3);
      r.stamp.yearless = random() % 2 == 0;
      const auto lo = static_cast<std::int64_t>(random() % 5 * kSecond);
      r.stamp.time = {wild ? kTimeMin : lo, random() % 2 == 0 ? kTimeMax : lo + kSecond};
      r.stamp.monotonic_fraction_ns = random() % 2 == 0 ? -1 : static_cast<std::int32_t>(lo / 7);
    }
    for (std::uint64_t n = random() % 3; n-- > 0;) {
      window.push(r);
      plain.push_back(r);
    }
  }
  ASSERT_LE(window.size(), plain.size());
  plain.erase(plain.begin(), plain.end() - static_cast<std::ptrdiff_t>(window.size()));
  EXPECT_EQ(rows_of(window), std::vector<OpRow>(plain.begin(), plain.end()));
  EXPECT_EQ(window.rows().back(), plain.back());
}

TEST(OpWindow, LimitDropsTheOldestAndHoldsFromThenOn) {
  OpWindow window;
  for (std::uint64_t i = 1; i <= 4000; ++i) window.push(row(i));
  window.limit(2000);
  EXPECT_LE(window.coded_bytes(), 2000u);
  for (std::uint64_t i = 4001; i <= 9000; ++i) {
    window.push(row(i));
    ASSERT_LE(window.coded_bytes(), 2000u);
  }
  EXPECT_GT(window.size(), 300u);
  std::uint64_t index = window.first_index();
  for (const OpRow& r : rows_of(window)) EXPECT_EQ(r, row(index++));
}

TEST(OpWindow, StampsThatAreStillOpenCanBeBounded) {
  OpWindow window;
  Stamp printed{Clock::wall, StampGrade::printed, false, Interval::at(5), -1};
  Stamp open{Clock::wall, StampGrade::neighbours, false, {5, kTimeMax}, -1};
  OpRow r = row(0);
  r.stamp = printed;
  window.push(r);
  r.stamp = open;
  for (int i = 0; i < 200; ++i) window.push(r);  // reaches over several blocks
  window.rows()[0].stamp.time.hi = 1;            // of another run: no effect
  window.rows()[3].stamp.time.hi = 9;
  EXPECT_EQ(rows_of(window)[3].stamp.time, Interval::between(5, 9));
  r.stamp = printed;
  window.push(r);
  const std::vector<OpRow> rows = rows_of(window);
  EXPECT_EQ(rows.front().stamp, printed);
  for (std::size_t i = 1; i <= 200; ++i)
    ASSERT_EQ(rows[i].stamp.time, Interval::between(5, 9)) << i;
  EXPECT_EQ(rows.back().stamp, printed);
}

TEST(OpWindow, RestoredFromItsRowsItIsTheSame) {
  OpWindow window;
  for (std::uint64_t i = 1; i <= 9000; ++i) window.push(row(i));
  OpWindow again = OpWindow::restore(window.history(), rows_of(window));
  EXPECT_EQ(again, window);
  window.push(row(9001));
  EXPECT_NE(again, window);
  again.push(row(9001));
  EXPECT_EQ(again, window);
  EXPECT_EQ(again.coded_bytes(), window.coded_bytes());
}

TEST(OpWindow, CollectivesAreCountedApartFromPointToPoint) {
  OpWindow window;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    OpRow r = row(i);
    if (i % 2 == 0) r.kind = OpKind::send;
    window.push(r);
  }
  EXPECT_EQ(window.collectives(), window.size() / 2);
}

}  // namespace
}  // namespace firstfault
