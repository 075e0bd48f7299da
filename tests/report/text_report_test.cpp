#include <gtest/gtest.h>

#include "base/text.h"
#include "made_case.h"
#include "report/text_layout.h"

namespace firstfault {
namespace {

using test::MadeCase;

void expect_a_page(const std::string& out, std::size_t most_lines) {
  const auto lines = split(out, '\n');
  EXPECT_LE(lines.size(), most_lines) << out;
  for (const std::string_view line : lines) EXPECT_LE(columns(line), 100u) << line;
}

void expect_harmless(const std::string& out) {
  for (const char c : out) {
    const auto byte = static_cast<unsigned char>(c);
    ASSERT_TRUE(c == '\n' || (byte >= 0x20 && byte != 0x7F)) << int{byte};
  }
  for (const char* bad : {"\xE2\x80\xAE", "\xE2\x81\xA6", "\xC2\x9B", "\xFF"})
    EXPECT_EQ(out.find(bad), std::string::npos);
}

TEST(TextReport, HeadlineCanBePastedIntoAChat) {
  EXPECT_TRUE(
      test::mismatch().text().starts_with("FIRST FAILURE (certain): rank 2 called AllGather where "
                                          "ranks 0-1,3 called AllReduce (#10 on\n"
                                          "default_pg)\n"));
  EXPECT_TRUE(test::ended(VerdictStatus::no_fault, "all 4 ranks ended well")
                  .text()
                  .starts_with("NO FAULT: all 4 ranks ended well\n"));
  EXPECT_TRUE(test::ended(VerdictStatus::inconclusive, "the log just stops")
                  .text()
                  .starts_with("INCONCLUSIVE: the log just stops\n"));
}

TEST(TextReport, SaysWhereWhyAndWhoIsInnocent) {
  const std::string out = test::mismatch().text();
  for (const char* part :
       {"rank 2  host node-1  pid 102", "ALLGATHER #10 on default_pg (4 ranks)",
        "2026-12-01T03:44:47.902 to 2026-12-01T03:44:47.990", "coll.mismatch  (certain, app)",
        "ranks/2/stderr.log:7: all_gather_base [1048576]", "these ranks waited for rank 2",
        "rank 2                 AllGather", "ranks 0-1,3            AllReduce",
        "kernel log of node-1", "action: fix_code rank 2"})
    EXPECT_NE(out.find(part), std::string::npos) << part << "\n" << out;
}

TEST(TextReport, TimeWithoutAYearIsShownWithoutOne) {
  MadeCase c = test::mismatch();
  c.job.year_known = false;
  EXPECT_NE(c.text().find("time          12-01T03:44:47.902 to"), std::string::npos);
}

TEST(TextReport, RowsThatDifferOnlyInReductionOrRootDoNotLookAlike) {
  MadeCase c = test::mismatch();
  auto& cells = c.job.attempts[0].communicators[0].slots[0].cells;
  for (auto& [rank, cell] : cells) {
    cell.signature.kind = OpKind::all_reduce;
    cell.signature.reduction = rank == 2 ? "max" : "sum";
  }
  EXPECT_NE(c.text().find("float32   max   not completed"), std::string::npos) << c.text();
}

TEST(TextReport, TheCulpritsRowIsNeverCutAway) {
  MadeCase c = test::flood(1024, "text");
  c.diagnosis.verdict.first_failure->ranks = {1023};
  EXPECT_NE(c.text().find("rank 1023              nothing known"), std::string::npos) << c.text();
}

TEST(TextReport, StaysOnAPageWhenAThousandRanksFail) {
  expect_a_page(test::flood(1024, std::string(3000, 'x')).text(), 55);
  expect_a_page(test::flood(1024, "some words of a log").text(), 55);
  expect_a_page(test::flood(1024, "\xE6\xBC\xA2\xE5\xAD\x97").text(), 55);
  EXPECT_NE(test::flood(1024, "x").text().find("more)"), std::string::npos);
}

TEST(TextReport, ExplainIsBoundedToo) {
  const std::string out = test::flood(1024, std::string(3000, 'x')).text(true);
  expect_a_page(out, 600);
  EXPECT_NE(out.find("skipped "), std::string::npos);
}

TEST(TextReport, ALineOfAMegabyteIsCut) {
  MadeCase c = test::mismatch();
  c.diagnosis.verdict.title = std::string(1 << 20, 'w');
  c.diagnosis.verdict.first_failure->evidence[0].quote.text = std::string(1 << 20, '\x1b');
  c.diagnosis.verdict.advice = {std::string(1 << 20, 'z')};
  expect_a_page(c.text(), 55);
}

TEST(TextReport, HostileLogTextCannotSteerTheTerminal) {
  for (const char* evil : {"evil \x1b[2J\x07 \xE2\x80\xAE reversed \r\n tail", "\xE2\x1b[2J",
                           "\xC2\x9B"
                           "2J",
                           "\x9B"
                           "2J",
                           "\xF0", "\xFF\x7F\xE2\x81\xA6"}) {
    expect_harmless(test::flood(4, evil).text(true));
    expect_harmless(test::flood(4, evil).text());
  }
  EXPECT_NE(test::flood(4, "\xE2\x80\xAE").text().find("\\u202e"), std::string::npos);
}

TEST(TextReport, ColoursOnlyWhenAsked) {
  const MadeCase c = test::mismatch();
  TextOptions options;
  EXPECT_EQ(render_text(c.input(), options).find('\x1b'), std::string::npos);
  options.colour = true;
  EXPECT_TRUE(render_text(c.input(), options).starts_with("\x1b[1;31mFIRST FAILURE"));
}

TEST(TextReport, AbsurdWidthsDoNotHarm) {
  for (const int width : {-5, 0, 1, 40, 1000000}) {
    TextOptions options;
    options.width = width;
    EXPECT_NE(render_text(test::mismatch().input(), options).find("FIRST FAILURE"),
              std::string::npos);
  }
}

TEST(TextReport, JobWithoutAttemptsOrSources) {
  MadeCase c = test::mismatch();
  c.job = {};
  c.diagnosis.attempt = 3;
  EXPECT_NE(c.text(true).find("?:7: all_gather_base"), std::string::npos);
}

TEST(TextReport, SameInputSameBytes) {
  EXPECT_EQ(test::flood(64, "text").text(true), test::flood(64, "text").text(true));
}

TEST(TextLayout, CutsOnlyBetweenCharacters) {
  EXPECT_EQ(fit("\xC3\xA4\xC3\xB6\xC3\xBC", 3), "\xC3\xA4\xC3\xB6\xC3\xBC");
  EXPECT_EQ(fit("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F\xC3\xA4", 4), "\xC3\xA4...");
}

TEST(TextLayout, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(columns("\xE6\xBC\xA2\xE5\xAD\x97"), 4u);
  EXPECT_EQ(fit("\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2", 5), "\xE6\xBC\xA2...");
}

TEST(TextLayout, RankListsSayHowManyAreLeftOut) {
  RankSet even;
  for (std::int32_t r = 0; r < 1024; r += 2) even.insert(r);
  EXPECT_EQ(fit_ranks(even, 24), "0,2,4,6 ... (+508 more)");
  EXPECT_EQ(fit_ranks(even, 12), "512 ranks");
  EXPECT_EQ(fit_ranks(RankSet::first(1024), 24), "0-1023");
}

}  // namespace
}  // namespace firstfault
