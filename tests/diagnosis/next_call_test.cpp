#include "diagnosis/next_call.h"

#include <gtest/gtest.h>

#include "diagnosis/job_builder.h"

namespace firstfault {
namespace {

using namespace test;

// A loop that uses tp (c0) twice, then dp (c1), then world (c2).
Attempt loop(std::size_t calls) {
  Attempt a = attempt_of(2);
  for (const char* id : {"c0", "c1", "c2"}) a.communicators.push_back(communicator(id, {0, 1}));
  const std::size_t order[] = {0, 0, 1, 2};
  for (std::size_t i = 0; i < calls; ++i) {
    Communicator& c = a.communicators[order[i % 4]];
    c.slots.push_back(slot(static_cast<std::int64_t>(c.slots.size()) + 1,
                           {{0, call(OpKind::all_reduce, 1.0 + static_cast<double>(i), true)}}));
  }
  return a;
}

TEST(NextCall, RankThatStoppedBeforeTheDataParallelCallIsNotBlamedForTheWorldsCall) {
  EXPECT_EQ(next_communicator(loop(10), 0, {1, 2}), 1u);
}

TEST(NextCall, LongerContextDecidesBetweenTheFirstAndTheSecondCallOfAStep) {
  EXPECT_EQ(next_communicator(loop(9), 0, {0, 1}), 0u);   // ... world, tp: tp again
  EXPECT_EQ(next_communicator(loop(10), 0, {0, 1}), 1u);  // ... tp, tp: dp
}

TEST(NextCall, FirstStepHasNoPastToJudgeBy) {
  EXPECT_FALSE(next_communicator(loop(1), 0, {0, 1}));
  EXPECT_FALSE(next_communicator(loop(0), 0, {0, 1}));
}

TEST(NextCall, CallsWithoutATimeAreNotPutInAnOrder) {
  Attempt a = loop(10);
  for (Communicator& c : a.communicators) {
    for (Slot& s : c.slots) s.cells.at(0).issued_at = Interval{};
  }
  EXPECT_FALSE(next_communicator(a, 0, {1, 2}));
}

}  // namespace
}  // namespace firstfault
