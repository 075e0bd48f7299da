#include <gtest/gtest.h>

#include <algorithm>

#include "diagnosis/diagnose.h"
#include "diagnosis/job_builder.h"

// One job that is certain, and each way in which it may not be.

namespace firstfault {
namespace {

using namespace test;

const Rulebook& rules() {
  static const Rulebook book = [] {
    Result<Rulebook> loaded = Rulebook::built_in();
    return std::move(*loaded);
  }();
  return book;
}

Attempt never_came() {
  Attempt a = attempt_of(4);
  a.communicators = {communicator("c0", {0, 1, 2, 3})};
  const Cell waits = call(OpKind::all_reduce, 9);
  a.communicators[0].slots = {slot(7, {{0, waits}, {1, waits}, {2, waits}, {3, not_issued()}})};
  for (const std::int32_t r : {0, 1, 2}) {
    a.episodes.push_back(episode("echo.watchdog_timeout", {r}, {r}, 600));
  }
  return a;
}

Attempt asserted() {
  Attempt a = attempt_of(4);
  a.episodes.push_back(episode("cuda.device_assert", {1}, {1}, 50));
  a.episodes.push_back(episode("echo.peer_closed", {2}, {1}, 60));
  return a;
}

Verdict verdict_of(const Attempt& a) { return diagnose(job_of(a), rules()).verdict; }

bool passed(const Verdict& v, std::string_view check) {
  const auto at = std::find_if(v.basis.begin(), v.basis.end(),
                               [&](const BasisCheck& c) { return c.check == check; });
  return at != v.basis.end() && at->passed;
}

TEST(Confidence, BothBaselinesAreCertainAndNameTheirRank) {
  const Verdict hang = verdict_of(never_came());
  EXPECT_EQ(hang.cause, "coll.missing_rank");
  EXPECT_EQ(hang.confidence, Confidence::certain);
  EXPECT_EQ(hang.must_be, RankSet({3}));
  EXPECT_EQ(hang.first_failure->seq, 7);
  const Verdict crash = verdict_of(asserted());
  EXPECT_EQ(crash.cause, "cuda.device_assert");
  EXPECT_EQ(crash.confidence, Confidence::certain);
  EXPECT_EQ(crash.must_be, RankSet({1}));
}

TEST(Confidence, MissingRankWhoseCallsAreNotWhollyVisible) {
  Attempt a = never_came();
  a.communicators[0].progress[3].complete_view = false;
  const Verdict v = verdict_of(a);
  EXPECT_EQ(v.cause, "coll.missing_rank");
  EXPECT_LT(v.confidence, Confidence::certain);
  EXPECT_FALSE(passed(v, "direct_evidence"));
  EXPECT_TRUE(v.must_be.empty());
  EXPECT_TRUE(v.may_be.contains(3));
}

TEST(Confidence, ARankOfWhomNothingIsLeftMayBeACulpritToo) {
  Attempt a = never_came();
  a.ranks[1].has_log = false;
  const Verdict v = verdict_of(a);
  EXPECT_LT(v.confidence, Confidence::certain);
  EXPECT_TRUE(v.may_be.contains_all({1, 3}));
}

TEST(Confidence, RankThatRestsOnAGuess) {
  Attempt a = asserted();
  a.episodes[0].joined_by_guess = true;
  const Verdict v = verdict_of(a);
  EXPECT_LT(v.confidence, Confidence::certain);
  EXPECT_FALSE(passed(v, "identity"));
}

TEST(Confidence, FaultOfAnUnknownRank) {
  Attempt a = asserted();
  a.episodes[0].about = {};
  a.episodes[0].reporter = {};
  EXPECT_LT(verdict_of(a).confidence, Confidence::certain);
}

TEST(Confidence, FaultOutsideTheWindowIsNoCause) {
  Attempt a = asserted();
  a.episodes[0].in_window = false;
  const Verdict v = verdict_of(a);
  EXPECT_EQ(v.status, VerdictStatus::inconclusive);
  EXPECT_LT(v.confidence, Confidence::certain);
}

TEST(Confidence, SecondFaultThatNothingExplains) {
  Attempt a = asserted();
  a.episodes.push_back(episode("host.filesystem_error", {3}, {3}, 50));
  const Verdict v = verdict_of(a);
  EXPECT_LT(v.confidence, Confidence::certain);
  EXPECT_FALSE(passed(v, "no_other_direct_fault"));
  EXPECT_FALSE(v.alternatives.empty());
  EXPECT_TRUE(v.may_be.contains_all({1, 3}));
}

TEST(Confidence, KillLooksTheSameAsAnOutOfMemoryKillWithoutTheKernelLog) {
  Attempt a = attempt_of(2);
  a.episodes.push_back(episode("app.killed", {1}, {1}, 50));
  EXPECT_FALSE(passed(verdict_of(a), "coverage"));
  EXPECT_LT(verdict_of(a).confidence, Confidence::certain);
  Coverage kernel;
  kernel.source = "kernel";
  kernel.host = "node-1";
  kernel.present = true;
  a.coverage.push_back(kernel);
  EXPECT_EQ(verdict_of(a).confidence, Confidence::certain);
}

TEST(Confidence, KernelLogOfAnotherHostCoversNothing) {
  Attempt a = attempt_of(4);
  a.episodes.push_back(episode("app.killed", {3}, {3}, 50));
  Coverage kernel;
  kernel.source = "kernel";
  kernel.host = "node-1";  // rank 3 lives on node-2
  kernel.present = true;
  a.coverage.push_back(kernel);
  a.episodes[0].about.host = "node-2";
  EXPECT_LT(verdict_of(a).confidence, Confidence::certain);
}

TEST(Confidence, WeakClassAlone) {
  Attempt a = attempt_of(2);
  a.episodes.push_back(episode("app.exit_nonzero", {1}, {1}, 50));
  EXPECT_LT(verdict_of(a).confidence, Confidence::certain);
}

TEST(Confidence, TiedVote) {
  Attempt a = attempt_of(2);
  a.communicators = {communicator("c0", {0, 1})};
  a.communicators[0].slots = {
      slot(7, {{0, call(OpKind::all_reduce, 9)}, {1, call(OpKind::all_gather, 9)}})};
  const Verdict v = verdict_of(a);
  EXPECT_EQ(v.cause, "coll.mismatch");
  EXPECT_LT(v.confidence, Confidence::certain);
  EXPECT_TRUE(v.must_be.empty());
  EXPECT_FALSE(v.first_failure->rank);
}

TEST(Confidence, GpuFaultOfARankWithSeveralGroupsWhoseCallIsUnknown) {
  Attempt a = asserted();
  for (const RankSet& members : {RankSet{0, 1, 2, 3}, RankSet{0, 1}}) {
    Communicator c = communicator(members.str(), members);
    c.timed_out = false;
    a.communicators.push_back(c);
  }
  const Verdict v = verdict_of(a);
  EXPECT_EQ(v.cause, "cuda.device_assert");
  EXPECT_LT(v.confidence, Confidence::certain);
  EXPECT_FALSE(passed(v, "operation"));
}

TEST(Confidence, ReportOfAnotherIsNeverEnough) {
  Attempt a = attempt_of(4);
  a.episodes.push_back(episode("coll.barrier_missing", {0}, {3}, 50));
  const Verdict v = verdict_of(a);
  EXPECT_EQ(v.cause, "coll.missing_rank");
  EXPECT_EQ(v.first_failure->ranks, RankSet({3}));
}

TEST(Confidence, TwoCulpritsSideBySideAreBothNamedTheSmallestFirst) {
  Attempt a = attempt_of(4);
  a.communicators = {communicator("left", {0, 1}), communicator("right", {2, 3})};
  a.communicators[0].slots = {slot(5, {{0, call(OpKind::all_reduce, 20)}, {1, not_issued()}})};
  a.communicators[1].slots = {slot(6, {{2, call(OpKind::all_reduce, 8)}, {3, not_issued()}})};
  const Verdict v = verdict_of(a);
  EXPECT_EQ(v.first_failure->ranks, RankSet({1, 3}));
  EXPECT_EQ(v.first_failure->rank, 1);
  EXPECT_EQ(v.first_failure->seq, 5);
}

TEST(Confidence, LeftLoopIsPlacedByTheCallItsPeersWaitInFirst) {
  Attempt a = attempt_of(4);
  a.communicators = {communicator("world", {0, 1, 2, 3}), communicator("dp", {0, 2})};
  a.communicators[0].progress[0].left = true;
  const Cell loop = call(OpKind::all_reduce, 10);
  a.communicators[0].slots = {
      slot(9, {{0, call(OpKind::barrier, 9.5)}, {1, loop}, {2, loop}, {3, loop}})};
  a.communicators[1].slots = {slot(16, {{0, not_issued()}, {2, call(OpKind::reduce_scatter, 9)}})};
  const Verdict v = verdict_of(a);
  EXPECT_EQ(v.cause, "coll.uneven_inputs");
  EXPECT_EQ(v.first_failure->rank, 0);
  EXPECT_EQ(v.first_failure->communicator, "dp");
  EXPECT_EQ(v.first_failure->seq, 16);
}

TEST(Confidence, EveryRankThatRaisesAlikeIsTheJobNotOneRank) {
  Attempt a = attempt_of(4);
  for (std::int32_t r = 0; r < 4; ++r) a.episodes.push_back(episode("app.exception", {r}, {r}, 50));
  const Verdict v = verdict_of(a);
  EXPECT_EQ(v.cause, "app.exception");
  EXPECT_EQ(v.first_failure->scope, Scope::job);
  EXPECT_FALSE(v.first_failure->rank);
  EXPECT_EQ(v.first_failure->ranks.size(), 4u);
}

TEST(Confidence, SilentMismatchBeatsAGoodEnd) {
  Attempt a = attempt_of(3);
  a.ended_well = true;
  a.communicators = {communicator("c0", {0, 1, 2})};
  a.communicators[0].timed_out = false;
  a.communicators[0].cut = Interval{};
  a.communicators[0].cut_by = "";
  Cell odd = call(OpKind::all_reduce, 9, true);
  const Cell same = odd;
  odd.signature.count = 9;
  a.communicators[0].slots = {slot(2, {{0, same}, {1, odd}, {2, same}})};
  const Verdict v = verdict_of(a);
  EXPECT_EQ(v.status, VerdictStatus::fault_found);
  EXPECT_EQ(v.cause, "coll.mismatch");
  EXPECT_EQ(v.first_failure->rank, 1);
}

TEST(Confidence, StackSnapshotOfASlowRankIsNoFailure) {
  Attempt a = attempt_of(2);
  a.ended_well = true;
  a.episodes.push_back(episode("context.stack", {1}, {1}, 50));
  EXPECT_EQ(verdict_of(a).status, VerdictStatus::no_fault);
  a.ended_well = false;
  const Verdict v = verdict_of(a);
  EXPECT_EQ(v.status, VerdictStatus::inconclusive);
  EXPECT_TRUE(v.cause.empty());
}

TEST(Confidence, SecondAttemptsEchoesDoNotOutshineTheFirstOnes) {
  Job job = job_of(attempt_of(2));
  job.attempts.push_back(attempt_of(2));
  job.attempts[1].number = 1;
  job.attempts[0].episodes.push_back(episode("echo.peer_closed", {0}, {1}, 10));
  job.attempts[1].episodes.push_back(episode("app.exception", {0}, {0}, 90));
  const Diagnosis d = diagnose(job, rules());
  EXPECT_EQ(d.attempt, 0);
  EXPECT_EQ(d.verdict.status, VerdictStatus::inconclusive);
  ASSERT_EQ(d.attempts.size(), 2u);
  EXPECT_EQ(d.attempts[1].cause, "app.exception");
}

}  // namespace
}  // namespace firstfault
