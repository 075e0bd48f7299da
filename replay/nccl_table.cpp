#include "replay/nccl_table.h"

namespace firstfault::replay {

namespace {
constexpr NcclResult kInvalidArgument = 4;
}

Result<NcclTable> NcclTable::load(const std::string& preferred) {
  std::vector<std::string> names = {"libnccl.so.2", "libnccl.so"};
  if (!preferred.empty()) names = {preferred};
  Result<DynamicLibrary> opened = DynamicLibrary::open(names);
  if (!opened) return opened.error().in("NCCL");
  NcclTable t;
  t.handle_ = std::make_shared<DynamicLibrary>(std::move(*opened));
  const DynamicLibrary& lib = *t.handle_;
  t.library = lib.path();
  for (const Status& found :
       {lib.find("ncclGetVersion", &t.get_version), lib.find("ncclGetUniqueId", &t.get_unique_id),
        lib.find("ncclCommInitRankConfig", &t.comm_init_rank_config),
        lib.find("ncclCommAbort", &t.comm_abort),
        lib.find("ncclCommGetAsyncError", &t.comm_get_async_error),
        lib.find("ncclGetErrorString", &t.get_error_string),
        lib.find("ncclGroupStart", &t.group_start), lib.find("ncclGroupEnd", &t.group_end),
        lib.find("ncclAllReduce", &t.all_reduce_), lib.find("ncclBroadcast", &t.broadcast_),
        lib.find("ncclReduce", &t.reduce_), lib.find("ncclAllGather", &t.all_gather_),
        lib.find("ncclReduceScatter", &t.reduce_scatter_), lib.find("ncclSend", &t.send_),
        lib.find("ncclRecv", &t.recv_)}) {
    if (!found) return found.error().in("NCCL 2.14 or newer is needed");
  }
  lib.find_optional("ncclGetLastError", &t.get_last_error);
  return t;
}

NcclResult NcclTable::enqueue(OpKind kind, const void* send, void* receive, std::size_t count, int dtype,
                              int reduction, int root, NcclComm comm, CudaStream stream, int nranks,
                              std::size_t element_bytes) const {
  const auto at = [&](const void* base, int block) {
    return static_cast<const char*>(base) + static_cast<std::size_t>(block) * count * element_bytes;
  };
  switch (kind) {
    case OpKind::all_reduce:
    case OpKind::barrier:
      return all_reduce_(send, receive, count, dtype, reduction, comm, stream);
    case OpKind::broadcast:
      return broadcast_(send, receive, count, dtype, root, comm, stream);
    case OpKind::reduce:
      return reduce_(send, receive, count, dtype, reduction, root, comm, stream);
    case OpKind::all_gather:
      return all_gather_(send, receive, count, dtype, comm, stream);
    case OpKind::reduce_scatter:
      return reduce_scatter_(send, receive, count, dtype, reduction, comm, stream);
    case OpKind::send:
      return send_(send, count, dtype, root, comm, stream);
    case OpKind::recv:
      return recv_(receive, count, dtype, root, comm, stream);
    case OpKind::all_to_all: {
      // NCCL before 2.28 has no call of its own: grouped sends and receives, as frameworks do it.
      NcclResult result = group_start();
      for (int peer = 0; peer < nranks && result == kNcclSuccess; ++peer) {
        result = send_(at(send, peer), count, dtype, peer, comm, stream);
        if (result == kNcclSuccess || result == kNcclInProgress) {
          result = recv_(const_cast<char*>(at(receive, peer)), count, dtype, peer, comm, stream);
        }
        if (result == kNcclInProgress) result = kNcclSuccess;
      }
      const NcclResult ended = group_end();
      return result == kNcclSuccess ? ended : result;
    }
    default:
      return kInvalidArgument;
  }
}

}  // namespace firstfault::replay
