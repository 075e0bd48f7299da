#include "base/rank_set.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

TEST(RankSet, PrintsRangesAndReadsThemBack) {
  const RankSet set{7, 0, 1, 2, 3, 5, 1};
  EXPECT_EQ(set.str(), "0-3,5,7");
  EXPECT_EQ(set.size(), 6u);
  EXPECT_EQ(*RankSet::parse(set.str()), set);
  EXPECT_EQ(RankSet().str(), "");
  EXPECT_EQ(*RankSet::parse(""), RankSet());
}

TEST(RankSet, ReadsAPythonList) {
  EXPECT_EQ(RankSet::parse("[0, 1, 2]")->str(), "0-2");
  EXPECT_EQ(RankSet::parse("{4, 2}")->str(), "2,4");
  EXPECT_EQ(*RankSet::parse("[]"), RankSet());
}

TEST(RankSet, RefusesWhatIsNoListOfRanks) {
  for (const char* text :
       {"x", "1-", "3-1", "-1", "1;2", "99999999999", "0-2000000000", "1 - 2x"}) {
    EXPECT_FALSE(RankSet::parse(text)) << text;
  }
}

TEST(RankSet, ShortTextCannotAskForMillionsOfRanks) {
  EXPECT_FALSE(RankSet::parse("0-1000000000"));
  EXPECT_FALSE(RankSet::parse("0-4", 4));
  EXPECT_TRUE(RankSet::parse("0-3", 4));
}

TEST(RankSet, SetAlgebra) {
  const RankSet a = RankSet::first(5);
  const RankSet b{3, 4, 9};
  EXPECT_EQ(a.minus(b).str(), "0-2");
  EXPECT_EQ(a.intersect(b).str(), "3-4");
  EXPECT_TRUE(a.intersects(b));
  EXPECT_FALSE(a.contains_all(b));
  EXPECT_TRUE(a.contains_all(RankSet{0, 4}));
  RankSet c = a;
  c.merge(b);
  EXPECT_EQ(c.str(), "0-4,9");
  c.erase(2);
  c.insert(6);
  c.insert(6);
  EXPECT_EQ(c.str(), "0-1,3-4,6,9");
}

}  // namespace
}  // namespace firstfault
