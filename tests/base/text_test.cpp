#include "base/text.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

TEST(Text, NumberWithAnythingBesideItIsNone) {
  EXPECT_EQ(parse_int<int>("12"), 12);
  EXPECT_EQ(parse_int<int>("-12"), -12);
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "99999999999"}) {
    EXPECT_FALSE(parse_int<int>(text)) << text;
  }
  EXPECT_FALSE(parse_int<unsigned>("-1"));
}

TEST(Text, HexWithAndWithoutItsPrefix) {
  EXPECT_EQ(parse_hex("0x3c6c008ecef52c2e"), 0x3c6c008ecef52c2eULL);
  EXPECT_EQ(parse_hex("ff"), 0xffu);
  EXPECT_FALSE(parse_hex("0x"));
  EXPECT_FALSE(parse_hex("0x10000000000000000"));
  EXPECT_EQ(hex(0x1f), "0x1f");
  EXPECT_EQ(parse_hex(hex(UINT64_MAX)), UINT64_MAX);
}

TEST(Text, BadBytesBecomeReplacementCharacters) {
  bool lossy = false;
  EXPECT_EQ(to_utf8("a\xff"
                    "b",
                    512, &lossy),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_TRUE(lossy);
  lossy = false;
  EXPECT_EQ(to_utf8("\xC3\xA4\t\x1b[0m", 512, &lossy), "\xC3\xA4\t [0m");
  EXPECT_FALSE(lossy);
}

TEST(Text, OverlongAndSurrogateSequencesAreNotUtf8) {
  for (const char* bytes : {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                            "\xF5\x80\x80\x80", "\xE2\x82"}) {
    bool lossy = false;
    EXPECT_EQ(to_utf8(bytes, 512, &lossy).find("\xEF\xBF\xBD"), 0u);
    EXPECT_TRUE(lossy);
  }
}

TEST(Text, CutNeverFallsIntoACharacter) {
  const std::string text =
      "ab\xE2\x82\xAC"
      "cd";  // a, b, euro sign
  for (std::size_t limit = 0; limit <= text.size(); ++limit) {
    bool lossy = false;
    const std::string cut = to_utf8(text, limit, &lossy);
    EXPECT_LE(cut.size(), limit);
    EXPECT_EQ(text.substr(0, cut.size()), cut);
    EXPECT_FALSE(lossy);
    EXPECT_NE(cut.size(), 3u);
    EXPECT_NE(cut.size(), 4u);
  }
}

TEST(Text, ConsumersLeaveTheTextAloneWhenTheyFail) {
  std::string_view text = "rank 12: x";
  EXPECT_FALSE(consume(&text, "Rank"));
  EXPECT_FALSE(consume_int(&text));
  EXPECT_FALSE(consume_until(&text, ";"));
  EXPECT_EQ(text, "rank 12: x");
  EXPECT_TRUE(consume(&text, "rank "));
  EXPECT_EQ(consume_int(&text), 12);
  EXPECT_EQ(consume_until(&text, " "), ":");
  EXPECT_EQ(text, "x");
  text = "99999999999999999999";
  EXPECT_FALSE(consume_int(&text));
  EXPECT_EQ(text.size(), 20u);
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
  EXPECT_EQ(split("", ',').size(), 1u);
}

TEST(Text, TrimAndLower) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(to_lower("NcCl \xC3\x84"), "nccl \xC3\x84");
}

TEST(Text, PathParts) {
  EXPECT_EQ(base_name("/d/a.tar!logs/x.log"), "x.log");
  EXPECT_EQ(dir_name("/d/x.log"), "/d");
  EXPECT_EQ(base_name("x"), "x");
  EXPECT_EQ(dir_name("x"), "");
}

}  // namespace
}  // namespace firstfault
