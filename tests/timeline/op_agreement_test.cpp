#include "timeline/op_agreement.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

FrEntry entry(std::int64_t seq, OpKind kind) {
  FrEntry e;
  e.collective_seq = seq;
  e.kind = kind;
  return e;
}

TEST(FrRows, NumbersWithGapsAreFound) {
  FrDump dump;
  for (const std::int64_t seq : {5, 6, 9}) dump.entries.push_back(entry(seq, OpKind::all_reduce));
  const FrRows rows(FrView{0, &dump, 0});
  EXPECT_EQ(rows.front().seq, 5);
  EXPECT_EQ(rows.back().seq, 9);
  ASSERT_NE(rows.at(9), nullptr);
  EXPECT_EQ(rows.at(9)->index, 2u);
  for (const std::int64_t seq : {4, 7, 8, 10}) EXPECT_EQ(rows.at(seq), nullptr) << seq;
}

TEST(FrRows, EndMarkerOfCoalescedGivesWayToItsParts) {
  FrDump dump;
  dump.entries = {entry(1, OpKind::coalesced), entry(1, OpKind::all_gather),
                  entry(1, OpKind::broadcast), entry(2, OpKind::all_reduce)};
  const FrRows rows(FrView{0, &dump, 0});
  ASSERT_NE(rows.at(1), nullptr);
  EXPECT_EQ(rows.at(1)->entry->kind, OpKind::all_gather);
  EXPECT_EQ(rows.at(1)->index, 1u);
  EXPECT_EQ(rows.at(1)->more, 2u);
  EXPECT_EQ(rows.at(2)->more, 0u);
}

TEST(FrRows, EntriesOutOfOrderAreSorted) {
  FrDump dump;
  for (const std::int64_t seq : {3, 1, 2, 1}) dump.entries.push_back(entry(seq, OpKind::reduce));
  const FrRows rows(FrView{0, &dump, 0});
  EXPECT_EQ(rows.at(1)->index, 1u);
  EXPECT_EQ(rows.at(1)->more, 1u);
  EXPECT_EQ(rows.at(3)->index, 0u);
}

TEST(FrRows, OtherGroupsAndPointToPointAreLeftOut) {
  FrDump dump;
  dump.entries = {entry(1, OpKind::all_reduce), entry(2, OpKind::send), entry(3, OpKind::reduce)};
  dump.entries[2].group = 1;
  const FrRows rows(FrView{0, &dump, 0});
  EXPECT_EQ(rows.front().seq, 1);
  EXPECT_EQ(rows.back().seq, 1);
}

}  // namespace
}  // namespace firstfault
