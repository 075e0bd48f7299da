#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "report/report.h"
#include "report/text_layout.h"

namespace firstfault {
namespace {

struct Case {
  Job job;
  Diagnosis diagnosis;
  std::string text(bool explain = false) const {
    TextOptions options;
    options.explain = explain;
    return render_text({job, diagnosis, {"1.0", 1, "sha256:0"}}, options);
  }
};

// A hang of `world` ranks in which everyone but the last timed out, with hostile log text.
Case big_case(std::int32_t world, const std::string& log_text) {
  Case c;
  c.job.sources.emplace_back();
  c.job.sources[0].file = "launcher.log";
  c.job.year_known = true;
  Attempt a;
  a.world_size = world;
  Communicator comm;
  comm.id = "c0";
  comm.size = world;
  comm.members = RankSet::first(world);
  Slot slot;
  slot.seq = 7;
  for (std::int32_t r = 0; r + 1 < world; ++r) {
    Cell cell;
    cell.known = cell.issued = true;
    cell.signature.kind = OpKind::all_reduce;
    cell.signature.count = r % 7;  // many different rows
    slot.cells[r] = cell;
  }
  comm.slots.push_back(slot);
  a.communicators.push_back(comm);
  c.job.attempts.push_back(a);
  Verdict& v = c.diagnosis.verdict;
  v.status = VerdictStatus::fault_found;
  v.cause = "coll.missing_rank";
  v.confidence = Confidence::likely;
  v.title = "rank " + std::to_string(world - 1) + " never came: " + log_text;
  FirstFailure f;
  f.rank = world - 1;
  f.ranks = {world - 1};
  f.communicator = "c0";
  f.seq = 7;
  for (int i = 0; i < 40; ++i) {
    Evidence e;
    e.quote.line = 1;
    e.quote.text = log_text;
    f.evidence.push_back(e);
  }
  v.first_failure = f;
  for (int i = 0; i < 30; ++i) {
    v.chain.push_back({"n" + std::to_string(i),
                       "echo.watchdog_timeout",
                       RankSet::first(world),
                       log_text,
                       {},
                       {}});
    Decoy d;
    d.cls = "echo.watchdog_timeout";
    d.reporters = RankSet::first(world);
    d.why_not = log_text;
    d.evidence = {f.evidence[0]};
    v.decoys.push_back(d);
    v.missing.push_back({"x", log_text, log_text});
  }
  v.advice = {log_text, log_text};
  return c;
}

TEST(TextReport, StaysOnAPageWhenAThousandRanksFail) {
  const std::string out = big_case(1024, std::string(3000, 'x')).text();
  const auto lines = split(out, '\n');
  EXPECT_LE(lines.size(), 58u);
  for (const std::string_view line : lines) EXPECT_LE(columns(line), 100u) << line;
}

TEST(TextReport, HostileLogTextCannotSteerTheTerminal) {
  const std::string out =
      big_case(4, "evil \x1b[2J\x07 \xE2\x80\xAE reversed \r\n tail").text(true);
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_EQ(out.find('\r'), std::string::npos);
  EXPECT_EQ(out.find("\xE2\x80\xAE"), std::string::npos);
  EXPECT_NE(out.find("\\u202e"), std::string::npos);
}

TEST(TextReport, SameInputSameBytes) {
  const Case c = big_case(64, "text");
  EXPECT_EQ(c.text(true), c.text(true));
}

TEST(TextLayout, CutsOnlyBetweenCharacters) {
  EXPECT_EQ(fit("\xC3\xA4\xC3\xB6\xC3\xBC", 3), "\xC3\xA4\xC3\xB6\xC3\xBC");
  EXPECT_EQ(fit("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F\xC3\xA4", 4), "\xC3\xA4...");
}

}  // namespace
}  // namespace firstfault
