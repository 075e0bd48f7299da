#include "model/operation.h"

#include <array>

#include "base/text.h"

namespace firstfault {

namespace {

struct OpRow {
  OpKind kind;
  std::string_view token;  // c10d
  std::string_view name;   // NCCL
};

constexpr OpRow kOps[] = {
    {OpKind::unknown, "UNKNOWN", "Unknown"},
    {OpKind::all_reduce, "ALLREDUCE", "AllReduce"},
    {OpKind::broadcast, "BROADCAST", "Broadcast"},
    {OpKind::reduce, "REDUCE", "Reduce"},
    {OpKind::all_gather, "ALLGATHER", "AllGather"},
    {OpKind::reduce_scatter, "REDUCE_SCATTER", "ReduceScatter"},
    {OpKind::all_to_all, "ALLTOALL", "AlltoAll"},
    {OpKind::gather, "GATHER", "Gather"},
    {OpKind::scatter, "SCATTER", "Scatter"},
    {OpKind::barrier, "BARRIER", "Barrier"},
    {OpKind::send, "SEND", "Send"},
    {OpKind::recv, "RECV", "Recv"},
    {OpKind::coalesced, "COALESCED", "Coalesced"},
};

struct Alias {
  std::string_view word;
  OpKind kind;
};

// Further OpType names of c10d (torch/csrc/distributed/c10d/Work.cpp, 1.8 to 2.14).
constexpr Alias kC10d[] = {
    {"ALLREDUCE_COALESCED", OpKind::all_reduce}, {"_ALLREDUCE_SPARSE", OpKind::all_reduce},
    {"_ALLGATHER_BASE", OpKind::all_gather},     {"ALLGATHER_BASE", OpKind::all_gather},
    {"ALLGATHER_COALESCED", OpKind::all_gather}, {"_REDUCE_SCATTER_BASE", OpKind::reduce_scatter},
    {"ALLTOALL_BASE", OpKind::all_to_all},       {"RECVANYSOURCE", OpKind::recv},
};

// Names of the Flight Recorder's profiling_name behind the backend and the colon.
constexpr Alias kFlightRecorder[] = {
    {"all_reduce", OpKind::all_reduce},
    {"allreduce", OpKind::all_reduce},
    {"all_reduce_barrier", OpKind::barrier},
    {"barrier", OpKind::barrier},
    {"all_reduce_sparse", OpKind::all_reduce},
    {"allreduce_coalesced", OpKind::all_reduce},
    {"broadcast", OpKind::broadcast},
    {"_broadcast_oop", OpKind::broadcast},
    {"reduce", OpKind::reduce},
    {"_reduce_oop", OpKind::reduce},
    {"all_gather", OpKind::all_gather},
    {"_all_gather_base", OpKind::all_gather},
    {"all_gather_into_tensor_coalesced", OpKind::all_gather},
    {"ALLGATHER_coalesced", OpKind::all_gather},
    {"reduce_scatter", OpKind::reduce_scatter},
    {"_reduce_scatter_base", OpKind::reduce_scatter},
    {"reduce_scatter_tensor_coalesced", OpKind::reduce_scatter},
    {"REDUCE_SCATTER_coalesced", OpKind::reduce_scatter},
    {"all_to_all", OpKind::all_to_all},
    {"gather", OpKind::gather},
    {"scatter", OpKind::scatter},
    {"send", OpKind::send},
    {"recv", OpKind::recv},
    {"recv_any_source", OpKind::recv},
    {"recvAnySource", OpKind::recv},
    {"coalesced", OpKind::coalesced},
};

template <std::size_t N>
OpKind look_up(const Alias (&table)[N], std::string_view word) {
  for (const Alias& row : table) {
    if (row.word == word) return row.kind;
  }
  return OpKind::unknown;
}

struct DtypeRow {
  std::string_view name;
  std::string_view torch;
  int bytes;
};

// Indexed by ncclDataType_t (nccl.h); the torch spelling is c10::ScalarType's.
constexpr DtypeRow kNcclTypes[] = {
    {"int8", "Char", 1},
    {"uint8", "Byte", 1},
    {"int32", "Int", 4},
    {"uint32", "UInt32", 4},
    {"int64", "Long", 8},
    {"uint64", "UInt64", 8},
    {"float16", "Half", 2},
    {"float32", "Float", 4},
    {"float64", "Double", 8},
    {"bfloat16", "BFloat16", 2},
    {"float8e4m3", "Float8_e4m3fn", 1},
    {"float8e5m2", "Float8_e5m2", 1},
};
constexpr DtypeRow kTorchOnly[] = {
    {"bool", "Bool", 1},
    {"int16", "Short", 2},
    {"complex64", "ComplexFloat", 8},
    {"complex128", "ComplexDouble", 16},
};

constexpr std::string_view kReductions[] = {"sum", "prod", "max", "min", "avg"};

}  // namespace

std::string_view op_token(OpKind kind) { return kOps[static_cast<std::size_t>(kind)].token; }
std::string_view op_name(OpKind kind) { return kOps[static_cast<std::size_t>(kind)].name; }

OpKind op_from_nccl(std::string_view word) {
  for (const OpRow& row : kOps) {
    if (row.name == word) return row.kind;
  }
  return OpKind::unknown;
}

OpKind op_from_c10d(std::string_view op_type) {
  for (const OpRow& row : kOps) {
    if (row.token == op_type) return row.kind;
  }
  return look_up(kC10d, op_type);
}

OpKind op_from_flight_recorder(std::string_view profiling_name, std::int32_t* peer) {
  *peer = -1;
  const std::size_t colon = profiling_name.find(':');
  std::string_view rest =
      colon == std::string_view::npos ? profiling_name : profiling_name.substr(colon + 1);
  const std::size_t blank = rest.find(' ');
  const OpKind kind = look_up(kFlightRecorder, rest.substr(0, blank));
  if (is_point_to_point(kind) && blank != std::string_view::npos) {
    // "send me->dst", "recv me<-src"
    const std::string_view ends = rest.substr(blank + 1);
    const std::size_t arrow = ends.find_first_of("-<");
    if (arrow != std::string_view::npos && arrow + 2 <= ends.size()) {
      *peer = parse_int<std::int32_t>(ends.substr(arrow + 2)).value_or(-1);
    }
  }
  return kind;
}

bool is_point_to_point(OpKind kind) { return kind == OpKind::send || kind == OpKind::recv; }

std::string_view dtype_from_nccl(std::int32_t number) {
  return number >= 0 && static_cast<std::size_t>(number) < std::size(kNcclTypes)
             ? kNcclTypes[number].name
             : std::string_view();
}

std::string_view dtype_from_torch(std::string_view scalar_type) {
  for (const DtypeRow& row : kNcclTypes) {
    if (row.torch == scalar_type) return row.name;
  }
  for (const DtypeRow& row : kTorchOnly) {
    if (row.torch == scalar_type) return row.name;
  }
  return {};
}

int dtype_bytes(std::string_view name) {
  for (const DtypeRow& row : kNcclTypes) {
    if (row.name == name) return row.bytes;
  }
  for (const DtypeRow& row : kTorchOnly) {
    if (row.name == name) return row.bytes;
  }
  return 0;
}

std::string_view reduction_from_nccl(std::int64_t number) {
  return number >= 0 && static_cast<std::size_t>(number) < std::size(kReductions)
             ? kReductions[number]
             : std::string_view();
}

}  // namespace firstfault
