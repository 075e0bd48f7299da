#include "base/interval.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

TEST(Interval, TouchingIntervalsAreNotOrdered) {
  const Interval a = Interval::between(10, 20), b = Interval::between(20, 30);
  EXPECT_FALSE(a.surely_before(b));
  EXPECT_TRUE(a.overlaps(b));
  EXPECT_TRUE(a.surely_before(Interval::at(21)));
}

TEST(Interval, UnknownBoundsStayUnknownWhenMoved) {
  const Interval open{kTimeMin, 5};
  EXPECT_EQ(open.shifted(100), (Interval{kTimeMin, 105}));
  EXPECT_EQ(Interval{}.widened(1), Interval{});
  EXPECT_TRUE(Interval{}.unknown());
  EXPECT_FALSE(open.unknown());
}

TEST(Interval, OverflowSaturatesInsteadOfWrapping) {
  EXPECT_EQ(Interval::at(kTimeMax - 1).shifted(10).hi, kTimeMax);
  EXPECT_EQ(Interval::at(kTimeMin + 1).shifted(-10).lo, kTimeMin);
  EXPECT_EQ(Interval::between(kTimeMin + 1, kTimeMax - 1).widened(kTimeMax), Interval{});
}

TEST(Interval, HullAndIntersection) {
  const Interval a = Interval::between(1, 5), b = Interval::between(4, 9), c = Interval::at(20);
  EXPECT_EQ(a.hull(c), Interval::between(1, 20));
  EXPECT_EQ(a.intersect(b), Interval::between(4, 5));
  EXPECT_TRUE(a.intersect(c).empty());
  EXPECT_EQ(a.intersect(Interval{}), a);
}

}  // namespace
}  // namespace firstfault
