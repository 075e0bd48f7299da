// Collectives and point-to-point operations under one name, whichever layer printed them.
//
// NCCL's COLL line says "AllGather", c10d's OpType "_ALLGATHER_BASE", the Flight Recorder
// "nccl:_all_gather_base"; all three are OpKind::all_gather. Tables: operation.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace firstfault {

enum class OpKind : std::uint8_t {
  unknown,
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  barrier,
  send,
  recv,
  coalesced,
};

// The spelling of c10d without a leading underscore: "ALLREDUCE", "ALLGATHER", "BARRIER".
std::string_view op_token(OpKind kind);
// The spelling of NCCL's COLL line: "AllReduce", "AllGather".
std::string_view op_name(OpKind kind);
OpKind op_from_nccl(std::string_view word);     // "AllReduce"
OpKind op_from_c10d(std::string_view op_type);  // "_ALLGATHER_BASE"
// "nccl:all_reduce", "gloo:_all_gather_base", "nccl:send 0->1". For send and recv *peer is set to
// the peer's group rank, else to -1.
OpKind op_from_flight_recorder(std::string_view profiling_name, std::int32_t* peer);
bool is_point_to_point(OpKind kind);

// Data types by one name ("float32"); "" when unknown.
std::string_view dtype_from_nccl(std::int32_t number);            // 7 -> "float32"
std::string_view dtype_from_torch(std::string_view scalar_type);  // "Float" -> "float32"
int dtype_bytes(std::string_view name);                           // 0 when unknown

// "sum", "prod", "max", "min", "avg"; "" for user-created operators (number >= 5), whose number
// differs between ranks of the same call and may not be compared.
std::string_view reduction_from_nccl(std::int64_t number);

}  // namespace firstfault
