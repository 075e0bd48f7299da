#include "diagnosis/components.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

TEST(Components, CircleIsOneComponentAndItsTailIsNot) {
  // 0 -> 1 -> 2 -> 1, 3 alone
  const auto c = strong_components({{1}, {2}, {1}, {}});
  EXPECT_EQ(c[1], c[2]);
  EXPECT_NE(c[0], c[1]);
  EXPECT_NE(c[3], c[0]);
  EXPECT_NE(c[3], c[1]);
}

TEST(Components, ComponentThatPointsNowhereHasTheSmallerNumber) {
  const auto c = strong_components({{1}, {}});
  EXPECT_LT(c[1], c[0]);
}

TEST(Components, ChainOfAMillionNodesDoesNotOverflowTheStack) {
  std::vector<std::vector<std::size_t>> next(1'000'000);
  for (std::size_t i = 0; i + 1 < next.size(); ++i) next[i].push_back(i + 1);
  const auto c = strong_components(next);
  EXPECT_EQ(c.front(), next.size() - 1);
  EXPECT_EQ(c.back(), 0u);
}

TEST(Components, TwoCirclesThatShareANodeAreOne) {
  const auto c = strong_components({{1}, {0, 2}, {1}});
  EXPECT_EQ(c[0], c[1]);
  EXPECT_EQ(c[1], c[2]);
}

}  // namespace
}  // namespace firstfault
