// One operation that a rank enqueued on a communicator, as NCCL's COLL line told it.
#pragma once

#include <cstdint>

#include "model/operation.h"
#include "model/stamp.h"

namespace firstfault {

struct OpRow {
  OpKind kind = OpKind::unknown;
  std::int8_t datatype = -1;   // ncclDataType_t
  std::int64_t reduction = 0;  // ncclRedOp_t; values >= 5 are user operators, not comparable
  std::int32_t root = 0;       // root, or the peer of send/recv (communicator ranks)
  std::uint64_t count = 0;     // as printed: bytes for AllGather/Broadcast before 2.22
  std::uint64_t op_count = 0;  // NCCL's opCount, only for quoting
  std::uint64_t offset = 0;    // of the line in its source, decoded bytes
  std::uint32_t length = 0;
  std::uint32_t line = 0;
  Stamp stamp;

  friend bool operator==(const OpRow&, const OpRow&) = default;
};

}  // namespace firstfault
