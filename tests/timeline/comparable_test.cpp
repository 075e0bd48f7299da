#include "timeline/comparable.h"

#include <gtest/gtest.h>

namespace firstfault::test {
namespace {

Cell call(OpSource source, OpKind kind, std::int64_t count, std::string raw = "") {
  Cell cell;
  cell.known = cell.issued = true;
  cell.source = source;
  cell.signature.kind = kind;
  cell.signature.raw = std::move(raw);
  cell.signature.count = count;
  cell.signature.dtype = "float32";
  return cell;
}

TEST(Comparable, legal_differences_of_one_call_are_no_mismatch) {
  using enum OpSource;
  struct Legal {
    Cell a, b;
  };
  const Legal cases[] = {
      {call(coll_line, OpKind::all_to_all, 8), call(coll_line, OpKind::all_to_all, 16)},
      {call(flight_recorder, OpKind::all_gather, 8, "nccl:all_gather"),
       call(flight_recorder, OpKind::all_gather, 9, "nccl:all_gather")},
      {call(flight_recorder, OpKind::scatter, 0), call(flight_recorder, OpKind::scatter, 64)},
      {call(flight_recorder, OpKind::barrier, 1), call(coll_line, OpKind::all_reduce, 1)},
      {call(coll_line, OpKind::all_reduce, -1), call(coll_line, OpKind::all_reduce, 5)},
      {call(flight_recorder, OpKind::all_reduce, 4), call(coll_line, OpKind::all_reduce, 5)},
  };
  for (const Legal& c : cases) {
    EXPECT_FALSE(signature_difference(c.a, c.b)) << op_name(c.a.signature.kind);
  }
}

TEST(Comparable, real_mismatches_are_named_by_their_field) {
  using enum OpSource;
  EXPECT_EQ(signature_difference(call(coll_line, OpKind::all_reduce, 8),
                                 call(coll_line, OpKind::all_gather, 8))
                ->field,
            "op");
  EXPECT_EQ(signature_difference(call(flight_recorder, OpKind::barrier, 1),
                                 call(flight_recorder, OpKind::all_reduce, 1))
                ->field,
            "op");
  EXPECT_EQ(
      signature_difference(call(flight_recorder, OpKind::all_gather, 8, "nccl:_all_gather_base"),
                           call(flight_recorder, OpKind::all_gather, 9, "nccl:_all_gather_base"))
          ->field,
      "count");
  Cell root = call(coll_line, OpKind::broadcast, 8), other = root;
  root.signature.root = 0;
  other.signature.root = 1;
  EXPECT_EQ(signature_difference(root, other)->field, "root");
}

TEST(Comparable, what_came_after_the_cut_does_not_vote) {
  Slot slot;
  slot.cells[0] = call(OpSource::coll_line, OpKind::all_reduce, 8);
  slot.cells[1] = call(OpSource::coll_line, OpKind::all_reduce, 9);
  EXPECT_EQ(signature_classes(slot).size(), 2u);
  slot.cells[1].after_cut = true;
  EXPECT_EQ(signature_classes(slot).size(), 1u);
}

TEST(Comparable, versions_that_print_other_units_do_not_differ_by_count) {
  OpRow bytes, elements;
  bytes.kind = elements.kind = OpKind::all_gather;
  bytes.count = 4096;
  bytes.datatype = 0;
  elements.count = 1024;
  elements.datatype = 7;
  EXPECT_TRUE(rows_differ(bytes, elements, false));
  EXPECT_FALSE(rows_differ(bytes, elements, true));
}

}  // namespace
}  // namespace firstfault::test
