#include "base/regex.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

TEST(Regex, GroupsPointIntoTheText) {
  const Regex r("rank (\\d+)( on (\\w+))?");
  ASSERT_TRUE(r.ok());
  std::vector<std::string_view> groups;
  const std::string text = "x rank 12: y";
  ASSERT_TRUE(r.search(text, &groups));
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[0], "rank 12");
  EXPECT_EQ(groups[1].data(), text.data() + 7);
  EXPECT_EQ(groups[3].data(), nullptr);  // took no part
}

TEST(Regex, NamesOfGroups) {
  const Regex r("(?P<peer>[0-9.]+)<(\\d+)>");
  EXPECT_EQ(r.group_count(), 2);
  EXPECT_EQ(r.group_names().at(1), "peer");
}

TEST(Regex, FullMatchWantsTheWholeText) {
  const Regex r("a+");
  EXPECT_TRUE(r.full_match("aaa"));
  EXPECT_FALSE(r.full_match("aab"));
  EXPECT_TRUE(r.search("baab"));
}

TEST(Regex, BytesThatAreNoUtf8CanBeMatched) {
  const Regex r("x.y");
  EXPECT_TRUE(r.search("\xff x\xfey"));
}

TEST(Regex, BrokenPatternIsAnErrorWithItsPlace) {
  const Regex r("abc(def[");
  EXPECT_FALSE(r.ok());
  EXPECT_NE(r.error(), "");
  EXPECT_EQ(r.error_offset(), 7u);
}

TEST(Regex, PatternTooLargeForItsBudgetIsRefused) {
  EXPECT_FALSE(Regex("((a{100}){100}){10}", {.max_memory = 1u << 16}).ok());
}

TEST(Regex, NestedRepetitionTakesLinearTime) {
  const Regex r("(a*)*b");
  ASSERT_TRUE(r.ok());
  EXPECT_FALSE(r.search(std::string(200'000, 'a')));  // a backtracking matcher would never end
}

TEST(Regex, CaseCanBeIgnored) {
  EXPECT_TRUE(Regex("xid", {.case_sensitive = false}).search("NVRM: XID"));
  EXPECT_FALSE(Regex("xid").search("NVRM: XID"));
}

}  // namespace
}  // namespace firstfault
