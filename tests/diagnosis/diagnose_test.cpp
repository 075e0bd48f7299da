#include "diagnosis/diagnose.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

const Rulebook& rules() {
  static const Rulebook book = [] {
    Result<Rulebook> loaded = Rulebook::built_in();
    return std::move(*loaded);
  }();
  return book;
}

Job job_of(std::int32_t world) {
  Job job;
  job.sources.emplace_back();
  Attempt a;
  a.world_size = world;
  for (std::int32_t r = 0; r < world; ++r) {
    RankInfo info;
    info.rank = r;
    info.host = "node-" + std::to_string(r / 2 + 1);
    info.pid = 100 + r;
    info.has_log = true;
    a.ranks.push_back(info);
  }
  job.attempts.push_back(std::move(a));
  return job;
}

Episode episode(const char* cls, RankSet reporter, RankSet about) {
  Episode e;
  e.cls = cls;
  e.reporter.ranks = std::move(reporter);
  e.about.ranks = std::move(about);
  e.evidence.push_back({});
  return e;
}

Cell issued(OpKind kind, std::int64_t count, bool completed) {
  Cell c;
  c.known = c.issued = true;
  c.completed = completed;
  c.grade = completed ? Grade::proven : Grade::nothing;
  c.signature.kind = kind;
  c.signature.count = count;
  c.signature.dtype = "float32";
  c.source = OpSource::flight_recorder;
  c.evidence.push_back({});
  return c;
}

Communicator& world_group(Job* job, bool timed_out) {
  Attempt& a = job->attempts[0];
  Communicator c;
  c.id = "c0";
  c.pg_desc = "default_pg";
  c.size = a.world_size;
  c.members = RankSet::first(a.world_size);
  c.timed_out = timed_out;
  if (timed_out) c.cut_by = "watchdog_timeout";
  for (const std::int32_t r : c.members) c.progress[r].complete_view = true;
  a.communicators.push_back(std::move(c));
  return a.communicators.back();
}

TEST(Diagnose, WatchdogOfThreeRanksIsNotTheCauseTheOddCallIs) {
  Job job = job_of(4);
  Communicator& c = world_group(&job, true);
  Slot slot;
  slot.seq = 10;
  for (const std::int32_t r : {0, 1, 3}) slot.cells[r] = issued(OpKind::all_reduce, 8, false);
  slot.cells[2] = issued(OpKind::all_gather, 8, false);
  c.slots.push_back(slot);
  for (const std::int32_t r : {0, 1, 3})
    job.attempts[0].episodes.push_back(episode("echo.watchdog_timeout", {r}, {r}));
  const Verdict v = diagnose(job, rules()).verdict;
  EXPECT_EQ(v.cause, "coll.mismatch");
  EXPECT_EQ(v.confidence, Confidence::certain);
  ASSERT_TRUE(v.first_failure);
  EXPECT_EQ(v.first_failure->rank, 2);
  EXPECT_EQ(v.first_failure->seq, 10);
  ASSERT_EQ(v.decoys.size(), 1u);
  EXPECT_EQ(v.decoys[0].reporters, (RankSet{0, 1, 3}));
}

TEST(Diagnose, TieOfTwoRanksIsNeverCertain) {
  Job job = job_of(2);
  Communicator& c = world_group(&job, true);
  Slot slot;
  slot.seq = 3;
  slot.cells[0] = issued(OpKind::all_reduce, 8, false);
  slot.cells[1] = issued(OpKind::broadcast, 8, false);
  c.slots.push_back(slot);
  const Verdict v = diagnose(job, rules()).verdict;
  EXPECT_EQ(v.cause, "coll.mismatch");
  EXPECT_NE(v.confidence, Confidence::certain);
  EXPECT_FALSE(v.first_failure->rank);
}

TEST(Diagnose, EchoesAloneAreInconclusive) {
  Job job = job_of(4);
  job.attempts[0].episodes.push_back(episode("echo.peer_closed", {1}, {}));
  job.attempts[0].episodes.push_back(episode("echo.remote_error", {1}, {}));
  const Diagnosis d = diagnose(job, rules());
  EXPECT_EQ(d.verdict.status, VerdictStatus::inconclusive);
  EXPECT_TRUE(d.verdict.cause.empty());
  EXPECT_FALSE(d.verdict.first_failure->rank);
  EXPECT_FALSE(d.verdict.missing.empty());
}

TEST(Diagnose, SilentLogsAreInconclusiveNotHealthy) {
  const Verdict v = diagnose(job_of(4), rules()).verdict;
  EXPECT_EQ(v.status, VerdictStatus::inconclusive);
}

TEST(Diagnose, CaughtErrorsOfAJobThatEndedWellAreNoFault) {
  Job job = job_of(2);
  job.attempts[0].ended_well = true;
  job.attempts[0].episodes.push_back(episode("cuda.out_of_memory", {1}, {1}));
  EXPECT_EQ(diagnose(job, rules()).verdict.status, VerdictStatus::no_fault);
}

TEST(Diagnose, RankThatNeverCameIsNamedByItsDump) {
  Job job = job_of(4);
  Communicator& c = world_group(&job, true);
  Slot slot;
  slot.seq = 5;
  for (const std::int32_t r : {0, 1, 2}) slot.cells[r] = issued(OpKind::all_reduce, 8, false);
  slot.cells[3].known = true;
  c.slots.push_back(slot);
  const Verdict v = diagnose(job, rules()).verdict;
  EXPECT_EQ(v.cause, "coll.missing_rank");
  EXPECT_EQ(v.first_failure->rank, 3);
}

TEST(Diagnose, DeathOfTheRankExplainsThatItNeverCame) {
  Job job = job_of(4);
  Communicator& c = world_group(&job, true);
  Slot slot;
  slot.seq = 5;
  for (const std::int32_t r : {0, 1, 2}) slot.cells[r] = issued(OpKind::all_reduce, 8, false);
  slot.cells[3].known = true;
  c.slots.push_back(slot);
  job.attempts[0].episodes.push_back(episode("app.exception", {3}, {3}));
  const Verdict v = diagnose(job, rules()).verdict;
  EXPECT_EQ(v.cause, "app.exception");
  EXPECT_EQ(v.first_failure->rank, 3);
  EXPECT_EQ(v.first_failure->seq, 5);
}

TEST(Diagnose, GuessedRankOrUnknownRankIsNotCertain) {
  Job guessed = job_of(2);
  guessed.attempts[0].episodes.push_back(episode("cuda.device_assert", {1}, {1}));
  guessed.attempts[0].episodes[0].joined_by_guess = true;
  EXPECT_NE(diagnose(guessed, rules()).verdict.confidence, Confidence::certain);
  Job unknown = job_of(2);
  unknown.attempts[0].episodes.push_back(episode("cuda.device_assert", {}, {}));
  EXPECT_NE(diagnose(unknown, rules()).verdict.confidence, Confidence::certain);
}

TEST(Diagnose, KillWithoutKernelLogIsNotCertain) {
  Job job = job_of(2);
  job.attempts[0].episodes.push_back(episode("app.killed", {1}, {1}));
  const Verdict v = diagnose(job, rules()).verdict;
  EXPECT_EQ(v.cause, "app.killed");
  EXPECT_EQ(v.confidence, Confidence::likely);
}

TEST(Diagnose, FirstFailedAttemptCounts) {
  Job job = job_of(2);
  job.attempts.push_back(job.attempts[0]);
  job.attempts[1].number = 1;
  job.attempts[0].episodes.push_back(episode("app.exception", {1}, {1}));
  job.attempts[1].episodes.push_back(episode("net.socket_connect", {0}, {}));
  const Diagnosis d = diagnose(job, rules());
  EXPECT_EQ(d.attempt, 0);
  EXPECT_EQ(d.verdict.cause, "app.exception");
}

}  // namespace
}  // namespace firstfault
