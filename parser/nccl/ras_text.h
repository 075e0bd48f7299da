// The answer of NCCL's RAS client ("ncclras", "STATUS" on port 28028) in text form: the state of
// all communicators while the job still hung. Format: src/ras/client_support.cc (2.24.3 to 2.30).
//
//   #0-0 (9282e5d5cfdce9a9) MISMATCH
//     Communicator ranks have different AllReduce operation counts
//     3 ranks have launched up to operation 4
//     Rank 3 has launched up to operation 3 -- GPU 0 managed by process 554 on node 127.0.0.1
//
// gives RasStatus{comm_hash 0x9282e5d5cfdce9a9, "MISMATCH", op "AllReduce", majority 4, odd {3}}. A
// file may hold several answers one after another.
#pragma once

#include <string_view>
#include <vector>

#include "model/facts.h"

namespace firstfault {

// In order of place; speaker 0, no stamp (the answer carries none). One RasStatus for each
// statement of a block (a communicator can differ in two operations); the global blocks INCOMPLETE,
// DEAD and TIMEOUT have comm_hash 0 and rank -1. A Version "nccl" stands wherever the version line
// names another one than before.
std::deque<RecordItem> read_ras_text(std::string_view bytes);

}  // namespace firstfault
