#include "base/literal_scanner.h"

#include <gtest/gtest.h>

#include <random>

namespace firstfault {
namespace {

using Hits = std::vector<LiteralScanner::Hit>;

Hits scan(const LiteralScanner& scanner, std::string_view text) {
  LiteralScanner::Scratch scratch(scanner);
  Hits hits;
  scanner.scan(text, scratch, &hits);
  return hits;
}

// The obvious way, in the promised order.
Hits naive(const std::vector<std::string>& literals, std::string_view text) {
  Hits hits;
  for (std::size_t end = 1; end <= text.size(); ++end) {
    for (std::uint32_t i = 0; i < literals.size(); ++i) {
      if (text.substr(0, end).ends_with(literals[i])) hits.push_back({i, end});
    }
  }
  return hits;
}

class BothEngines : public testing::TestWithParam<LiteralScanner::Engine> {};

TEST_P(BothEngines, OneLiteralInsideAnotherIsReportedToo) {
  const std::vector<std::string> literals{"Xid", "NVRM: Xid", "RM"};
  const LiteralScanner scanner(literals, GetParam());
  EXPECT_EQ(scan(scanner, "a NVRM: Xid"), (Hits{{2, 6}, {0, 11}, {1, 11}}));
}

TEST_P(BothEngines, OverlappingRepetitionsAreAllReported) {
  const LiteralScanner scanner({"aaaa"}, GetParam());
  EXPECT_EQ(scan(scanner, "aaaaaa"), (Hits{{0, 4}, {0, 5}, {0, 6}}));
}

TEST_P(BothEngines, BytesOutsideAsciiAndNulAreOrdinary) {
  const std::string nul("a\0b\xff", 4);
  const LiteralScanner scanner({nul}, GetParam());
  EXPECT_EQ(scan(scanner, "x" + nul + "y"), (Hits{{0, 5}}));
  EXPECT_TRUE(scan(scanner, "").empty());
}

TEST_P(BothEngines, RandomTextsGiveTheSameAsTheObviousWay) {
  std::mt19937 random(7);
  const auto word = [&](std::size_t longest) {
    std::string out;
    for (std::size_t n = 1 + random() % longest; n > 0; --n)
      out += static_cast<char>('a' + random() % 3);
    return out;
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> literals;
    for (int i = 0; i < 12; ++i) literals.push_back(word(6));
    std::sort(literals.begin(), literals.end());
    literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
    const LiteralScanner scanner(literals, GetParam());
    std::string text;
    for (int i = 0; i < 40; ++i) text += word(9);
    ASSERT_EQ(scan(scanner, text), naive(literals, text)) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, BothEngines,
                         testing::Values(LiteralScanner::Engine::aho_corasick,
                                         LiteralScanner::Engine::hyperscan));

TEST(LiteralScanner, UsesTheLibraryWhenItIsBuiltIn) {
  const LiteralScanner scanner({"NCCL WARN"}, LiteralScanner::Engine::hyperscan);
  EXPECT_EQ(scanner.engine() == LiteralScanner::Engine::hyperscan,
            LiteralScanner::hyperscan_built_in());
}

}  // namespace
}  // namespace firstfault
