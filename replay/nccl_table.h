// The functions of NCCL that replay needs, resolved at run time from any libnccl (the failed job's own
// with --nccl PATH). Numbers and layouts are those of nccl.h; where that header is found at build time,
// abi_check.cpp compares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "model/operation.h"
#include "replay/cuda_table.h"
#include "replay/dynamic_library.h"

namespace firstfault::replay {

using NcclResult = int;  // ncclResult_t
inline constexpr NcclResult kNcclSuccess = 0;
inline constexpr NcclResult kNcclInProgress = 7;

struct NcclUniqueId {
  char internal[128];
};

// The head of ncclConfig_t as of 2.14: size, magic, version, blocking. NCCL reads as much as `size` says,
// so this prefix is valid for every later version.
struct NcclConfig {
  std::size_t size = sizeof(NcclConfig);
  unsigned int magic = 0xcafebeef;
  unsigned int version = 21400;  // NCCL_VERSION(2, 14, 0)
  int blocking = 0;
};

using NcclComm = void*;

struct NcclTable {
  static Result<NcclTable> load(const std::string& preferred);

  NcclResult (*get_version)(int*) = nullptr;
  NcclResult (*get_unique_id)(NcclUniqueId*) = nullptr;
  NcclResult (*comm_init_rank_config)(NcclComm*, int, NcclUniqueId, int, NcclConfig*) = nullptr;
  NcclResult (*comm_abort)(NcclComm) = nullptr;
  NcclResult (*comm_get_async_error)(NcclComm, NcclResult*) = nullptr;
  const char* (*get_error_string)(NcclResult) = nullptr;
  const char* (*get_last_error)(NcclComm) = nullptr;  // optional, 2.13+
  NcclResult (*group_start)() = nullptr;
  NcclResult (*group_end)() = nullptr;

  // One call by kind; counts as NCCL takes them. ncclInvalidArgument (4) for a kind NCCL has no call for.
  NcclResult enqueue(OpKind kind, const void* send, void* receive, std::size_t count, int dtype, int reduction,
                     int root, NcclComm comm, CudaStream stream, int nranks, std::size_t element_bytes) const;

  std::string library;  // path of the loaded file

 private:
  NcclResult (*all_reduce_)(const void*, void*, std::size_t, int, int, NcclComm, CudaStream) = nullptr;
  NcclResult (*broadcast_)(const void*, void*, std::size_t, int, int, NcclComm, CudaStream) = nullptr;
  NcclResult (*reduce_)(const void*, void*, std::size_t, int, int, int, NcclComm, CudaStream) = nullptr;
  NcclResult (*all_gather_)(const void*, void*, std::size_t, int, NcclComm, CudaStream) = nullptr;
  NcclResult (*reduce_scatter_)(const void*, void*, std::size_t, int, int, NcclComm, CudaStream) = nullptr;
  NcclResult (*send_)(const void*, std::size_t, int, int, NcclComm, CudaStream) = nullptr;
  NcclResult (*recv_)(void*, std::size_t, int, int, NcclComm, CudaStream) = nullptr;
  std::shared_ptr<DynamicLibrary> handle_;
};

}  // namespace firstfault::replay
