#include "rules/placeholders.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

TEST(Placeholders, SentencesReadWellWhateverIsKnown) {
  const std::string advice = "Look at rank {rank} on {host} at {op} #{seq}.";
  EXPECT_EQ(fill_phrases(advice, {{"rank", "3"}, {"host", "n1"}, {"op", "AllReduce"}, {"seq", "9"}}),
            "Look at rank 3 on n1 at AllReduce #9.");
  EXPECT_EQ(fill_phrases(advice, {{"rank", "3-7"}, {"host", "n1"}, {"op", ""}, {"seq", ""}}),
            "Look at ranks 3-7 on n1 at the failing call.");
  EXPECT_EQ(fill_phrases(advice, {{"rank", ""}, {"host", ""}, {"op", ""}, {"seq", ""}}),
            "Look at the rank in question on the host in question at the failing call.");
}

TEST(Placeholders, UnknownNamesStay) {
  EXPECT_EQ(fill_placeholders("{a} {b} {", {{"a", "1"}}), "1 {b} {");
  EXPECT_EQ(fill_placeholders("{a}", {{"a", ""}}), "unknown");
}

}  // namespace
}  // namespace firstfault
