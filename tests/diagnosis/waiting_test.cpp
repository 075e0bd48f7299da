#include "diagnosis/waiting.h"

#include <gtest/gtest.h>

#include "diagnosis/job_builder.h"

namespace firstfault {
namespace {

using namespace test;

constexpr OpKind kReduce = OpKind::all_reduce;

TEST(Waiting, RankThatNeverCameIsFoundBehindARankThatWaitsForIt) {
  // 3 waits for 2 in the world, 2 waits for 1 in its pair, 1 has nothing pending.
  Attempt a = attempt_of(4);
  a.communicators = {communicator("world", {0, 1, 2, 3}), communicator("pair", {1, 2})};
  a.communicators[0].slots = {slot(
      7, {{0, call(kReduce, 9)}, {1, not_issued()}, {2, not_issued()}, {3, call(kReduce, 9)}})};
  a.communicators[1].slots = {slot(4, {{1, not_issued()}, {2, call(kReduce, 8)}})};
  const auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cls, "ledger.not_issued");
  EXPECT_EQ(found[0].subjects, RankSet({1}));
  EXPECT_EQ(found[0].communicator, "pair");
  EXPECT_EQ(found[0].seq, 4);
  EXPECT_EQ(found[0].others, RankSet({0, 2, 3}));
  EXPECT_EQ(found[0].detail("view"), "");
}

TEST(Waiting, TwoCulpritsInDifferentGroupsAreBothNamed) {
  Attempt a = attempt_of(4);
  a.communicators = {communicator("left", {0, 1}), communicator("right", {2, 3})};
  a.communicators[0].slots = {slot(5, {{0, not_issued()}, {1, call(kReduce, 9)}})};
  a.communicators[1].slots = {slot(6, {{2, call(kReduce, 8)}, {3, not_issued()}})};
  const auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].subjects, RankSet({0}));
  EXPECT_EQ(found[1].subjects, RankSet({3}));
}

TEST(Waiting, OppositeOrderOfTwoGroupsIsACircleNotACulprit) {
  Attempt a = attempt_of(2);
  a.communicators = {communicator("a", {0, 1}), communicator("b", {0, 1})};
  a.communicators[0].slots = {slot(3, {{0, call(kReduce, 9)}, {1, not_issued()}})};
  a.communicators[1].slots = {slot(8, {{0, not_issued()}, {1, call(kReduce, 9)}})};
  const auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cls, "ledger.wait_cycle");
  EXPECT_EQ(found[0].subjects, RankSet({0, 1}));
}

TEST(Waiting, CircleCloseByTheOrderOnTheGpuIsSeenAlthoughAllIssuedTheWorldsCall) {
  // 1 queued the pair's call before the world's; 0 issued only the world's.
  Attempt a = attempt_of(2);
  a.communicators = {communicator("world", {0, 1}), communicator("pair", {0, 1})};
  a.communicators[0].slots = {slot(7, {{0, call(kReduce, 9)}, {1, call(kReduce, 9.2)}})};
  a.communicators[1].slots = {slot(3, {{0, not_issued()}, {1, call(kReduce, 9.1)}})};
  const auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cls, "ledger.wait_cycle");
}

TEST(Waiting, CallAfterTheCutIsLateNotThere) {
  Attempt a = attempt_of(3);
  a.communicators = {communicator("world", {0, 1, 2})};
  Cell late = call(kReduce, 700);
  a.communicators[0].slots = {slot(7, {{0, call(kReduce, 9)}, {1, call(kReduce, 9)}, {2, late}})};
  const auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cls, "ledger.issued_late");
  EXPECT_EQ(found[0].subjects, RankSet({2}));
}

TEST(Waiting, LifeOnAnotherGroupAfterTheCutMakesAStragglerOfAMissingRank) {
  Attempt a = attempt_of(3);
  a.communicators = {communicator("world", {0, 1, 2}), communicator("own", {2})};
  a.communicators[0].slots = {
      slot(7, {{0, call(kReduce, 9)}, {1, call(kReduce, 9)}, {2, not_issued()}})};
  a.communicators[1].timed_out = false;
  a.communicators[1].cut = Interval{};
  a.communicators[1].cut_by = "";
  a.communicators[1].slots = {slot(2, {{2, call(kReduce, 650, true)}})};
  const auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cls, "ledger.issued_late");
}

TEST(Waiting, OneGpuThatDoesNotCompleteWhatItsPeersCompletedIsStuck) {
  Attempt a = attempt_of(3);
  a.communicators = {communicator("world", {0, 1, 2})};
  a.communicators[0].slots = {
      slot(7, {{0, call(kReduce, 9, true)}, {1, call(kReduce, 9)}, {2, call(kReduce, 9, true)}})};
  const auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cls, "ledger.stuck_on_gpu");
  EXPECT_EQ(found[0].subjects, RankSet({1}));
}

TEST(Waiting, RootOfABroadcastIsThroughBeforeItsReceivers) {
  Attempt a = attempt_of(3);
  a.communicators = {communicator("world", {0, 1, 2})};
  a.communicators[0].slots = {slot(7, {{0, call(OpKind::broadcast, 9, true)},
                                       {1, call(OpKind::broadcast, 9)},
                                       {2, call(OpKind::broadcast, 9, true)}})};
  EXPECT_TRUE(find_waiting(a).empty());
}

TEST(Waiting, AllInOneCallIsAStallOnlyAfterATimeOut) {
  Attempt a = attempt_of(2);
  a.communicators = {communicator("world", {0, 1})};
  a.communicators[0].slots = {slot(7, {{0, call(kReduce, 9)}, {1, call(kReduce, 9)}})};
  const auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cls, "ledger.not_completed");
  a.communicators[0].timed_out = false;  // a snapshot of a job at work looks the same
  EXPECT_TRUE(find_waiting(a).empty());
}

TEST(Waiting, CollLinesAloneNeverSayThatACallIsOutstanding) {
  Attempt a = attempt_of(2);
  a.communicators = {communicator("world", {0, 1})};
  a.communicators[0].timed_out = false;
  Cell seen = call(kReduce, 9);
  seen.source = OpSource::coll_line;
  a.communicators[0].slots = {slot(7, {{0, seen}, {1, seen}})};
  EXPECT_TRUE(find_waiting(a).empty());
}

TEST(Waiting, SendAgainstSendIsACircleAndSendAgainstRecvIsNot) {
  Attempt a = attempt_of(2);
  a.communicators = {communicator("pipe", {0, 1})};
  a.communicators[0].slots = {slot(4, {{0, call(OpKind::recv, 9)}, {1, call(OpKind::recv, 9)}})};
  auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cls, "ledger.wait_cycle");
  a.communicators[0].slots = {slot(4, {{0, call(OpKind::send, 9)}, {1, call(OpKind::recv, 9)}})};
  found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cls, "ledger.not_completed");
}

TEST(Waiting, OneMemberOfWhomNothingTellsMayBeIt) {
  Attempt a = attempt_of(3);
  a.communicators = {communicator("world", {0, 1, 2})};
  a.communicators[0].slots = {slot(7, {{0, call(kReduce, 9)}, {1, call(kReduce, 9)}})};
  const auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].subjects, RankSet({2}));
  EXPECT_EQ(found[0].detail("view"), "incomplete");
}

TEST(Waiting, SeveralMembersOfWhomNothingTellsAreNotAccused) {
  Attempt a = attempt_of(4);
  a.communicators = {communicator("world", {0, 1, 2, 3})};
  a.communicators[0].slots = {slot(7, {{0, call(kReduce, 9)}, {1, call(kReduce, 9)}})};
  EXPECT_TRUE(find_waiting(a).empty());
}

TEST(Waiting, UnobservedMemberKeepsTheViewIncomplete) {
  Attempt a = attempt_of(3);
  a.ranks[1].has_log = false;
  a.communicators = {communicator("world", {0, 1, 2})};
  a.communicators[0].slots = {
      slot(7, {{0, call(kReduce, 9)}, {1, call(kReduce, 9)}, {2, not_issued()}})};
  const auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].detail("view"), "incomplete");
}

TEST(Waiting, FirstOfSeveralMissedCallsIsTheOneItsPeerIssuedFirst) {
  // Rank 1 issued the pair's call, then the world's; rank 0 lacks both. Rank 2 was faster.
  Attempt a = attempt_of(3);
  a.communicators = {communicator("world", {0, 1, 2}), communicator("pair", {0, 1})};
  a.communicators[0].slots = {
      slot(7, {{0, not_issued()}, {1, call(kReduce, 9.2)}, {2, call(kReduce, 8)}})};
  a.communicators[1].slots = {slot(30, {{0, not_issued()}, {1, call(kReduce, 9.1)}})};
  const auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].communicator, "pair");
  EXPECT_EQ(found[0].seq, 30);
}

TEST(Waiting, KeyOfTheStoreClosesACircle) {
  Attempt a = attempt_of(2);
  a.episodes.push_back(episode("echo.store_wait", {1}, {0}));
  Communicator half = communicator("half", {0});
  half.size = 2;  // rank 0 is inside the set-up of a group that rank 1 has not begun
  a.communicators = {half};
  const auto found = find_waiting(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cls, "ledger.wait_cycle");
  EXPECT_EQ(found[0].subjects, RankSet({0, 1}));
}

TEST(Waiting, JobThatEndedWellWaitsForNobody) {
  Attempt a = attempt_of(2);
  a.ended_well = true;
  a.communicators = {communicator("world", {0, 1})};
  a.communicators[0].slots = {slot(7, {{0, call(kReduce, 9)}, {1, not_issued()}})};
  EXPECT_TRUE(find_waiting(a).empty());
}

}  // namespace
}  // namespace firstfault
