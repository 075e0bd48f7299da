#include "model/operation.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

TEST(Operation, ThreeSpellingsOfOneCollective) {
  std::int32_t peer = 0;
  EXPECT_EQ(op_from_nccl("AllGather"), OpKind::all_gather);
  EXPECT_EQ(op_from_c10d("_ALLGATHER_BASE"), OpKind::all_gather);
  EXPECT_EQ(op_from_flight_recorder("nccl:_all_gather_base", &peer), OpKind::all_gather);
  EXPECT_EQ(peer, -1);
}

TEST(Operation, FlightRecorderSendAndRecvNameTheirPeer) {
  std::int32_t peer = -1;
  EXPECT_EQ(op_from_flight_recorder("nccl:send 0->12", &peer), OpKind::send);
  EXPECT_EQ(peer, 12);
  EXPECT_EQ(op_from_flight_recorder("nccl:recv 1<-0", &peer), OpKind::recv);
  EXPECT_EQ(peer, 0);
  EXPECT_EQ(op_from_flight_recorder("nccl:send 0-", &peer), OpKind::send);
  EXPECT_EQ(peer, -1);
}

TEST(Operation, BarrierOfTheFlightRecorderIsNoAllReduce) {
  std::int32_t peer = -1;
  EXPECT_EQ(op_from_flight_recorder("nccl:all_reduce_barrier", &peer), OpKind::barrier);
}

TEST(Operation, UserReductionsHaveNoName) {
  EXPECT_EQ(reduction_from_nccl(0), "sum");
  EXPECT_EQ(reduction_from_nccl(5), "");
  EXPECT_EQ(reduction_from_nccl(-1), "");
}

TEST(Operation, TypesOfBothLayersAgree) {
  EXPECT_EQ(dtype_from_nccl(7), dtype_from_torch("Float"));
  EXPECT_EQ(dtype_bytes(dtype_from_torch("BFloat16")), 2);
  EXPECT_EQ(dtype_from_nccl(-1), "");
  EXPECT_EQ(dtype_from_nccl(99), "");
}

}  // namespace
}  // namespace firstfault
