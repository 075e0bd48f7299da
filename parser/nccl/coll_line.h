// NCCL's line for one enqueued operation (subsystem COLL, 2.7 to 2.30), behind the prefixes:
//   AllReduce: opCount 1f sendbuff 0x.. recvbuff 0x.. count 1000 datatype 7 op 0 root 0 comm 0x..
//   [nranks=8] stream 0x..
// RCCL appends " task 3 globalrank 5". opCount is hexadecimal without 0x; root is the peer of
// Send and Recv; a null pointer prints "(nil)".
#pragma once

#include <cstdint>
#include <string_view>

#include "model/op_window.h"

namespace firstfault {

struct CollLine {
  OpRow row;  // without place and stamp
  std::uint64_t comm = 0;
  std::int32_t nranks = 0;
};

// False unless all of `text`, to its end, has the form.
bool parse_coll_line(std::string_view text, CollLine* out);

}  // namespace firstfault
