#include "diagnosis/mismatch.h"

#include <gtest/gtest.h>

#include "diagnosis/job_builder.h"

namespace firstfault {
namespace {

using namespace test;

Cell sized(std::int64_t count, bool completed) {
  Cell c = call(OpKind::all_reduce, 9, completed);
  c.signature.count = count;
  return c;
}

TEST(Mismatch, FirstDifferenceCountsNotTheFrontier) {
  Attempt a = attempt_of(3);
  a.communicators = {communicator("c0", {0, 1, 2})};
  a.communicators[0].slots = {
      slot(5, {{0, sized(8, true)}, {1, sized(9, true)}, {2, sized(8, true)}}),
      slot(6, {{0, sized(8, false)}, {1, sized(8, false)}, {2, sized(9, false)}})};
  const auto found = find_mismatches(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].seq, 5);
  EXPECT_EQ(found[0].subjects, RankSet({1}));
}

TEST(Mismatch, LargerGroupDecidesWhoIsOddInAPair) {
  Attempt a = attempt_of(4);
  a.ended_well = true;
  a.communicators = {communicator("world", {0, 1, 2, 3}), communicator("pair", {2, 3})};
  for (Communicator& c : a.communicators) {
    c.timed_out = false;
    c.cut = Interval{};
    c.cut_by = "";
  }
  a.communicators[0].slots = {slot(
      2, {{0, sized(8, true)}, {1, sized(8, true)}, {2, sized(8, true)}, {3, sized(9, true)}})};
  a.communicators[1].slots = {slot(4, {{2, sized(8, true)}, {3, sized(9, true)}})};
  const auto found = find_mismatches(a);
  ASSERT_EQ(found.size(), 2u);
  for (const Finding& f : found) {
    EXPECT_EQ(f.cls, "ledger.silent_mismatch");
    EXPECT_EQ(f.subjects, RankSet({3}));
    EXPECT_EQ(f.detail("tie"), "");
  }
}

TEST(Mismatch, TieNamesBothSides) {
  Attempt a = attempt_of(2);
  a.communicators = {communicator("pair", {0, 1})};
  a.communicators[0].slots = {slot(4, {{0, sized(8, false)}, {1, sized(9, false)}})};
  const auto found = find_mismatches(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].subjects, RankSet({0, 1}));
  EXPECT_EQ(found[0].detail("tie"), "yes");
}

TEST(Mismatch, SendAndRecvOfOneNumberAreOneExchange) {
  Attempt a = attempt_of(2);
  a.communicators = {communicator("pipe", {0, 1})};
  a.communicators[0].slots = {slot(4, {{0, call(OpKind::send, 9)}, {1, call(OpKind::recv, 9)}})};
  EXPECT_TRUE(find_mismatches(a).empty());
}

TEST(Mismatch, ClosingBarrierAgainstTheLoopsCallIsALeftLoop) {
  Attempt a = attempt_of(3);
  a.communicators = {communicator("c0", {0, 1, 2})};
  a.communicators[0].progress[2].left = true;
  a.communicators[0].slots = {
      slot(47, {{0, sized(8, false)}, {1, sized(8, false)}, {2, call(OpKind::barrier, 9)}})};
  const auto found = find_mismatches(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cls, "ledger.left_loop");
  EXPECT_EQ(found[0].subjects, RankSet({2}));
}

}  // namespace
}  // namespace firstfault
