// The answer of NCCL's RAS client in JSON ("ncclras -f json", "SET FORMAT json"), 2.28.7 to 2.30:
// launched operations of every rank. Read into the same records as the text form (ras_text.h).
//
//   {"nccl_version": "2.28.9", "communicators": [{"hash": "0x9282e5d5cfdce9a9", "size": 4,
//    "ranks": [{"rank": 3, "host": "10.0.0.6", "pid": 554, "collective_counts": {"AllReduce":
//    3}}]}]}
//
// gives RasStatus{comm_hash 0x9282e5d5cfdce9a9, "MISMATCH", op "AllReduce", majority 4, odd {3}}
// when the other ranks launched 4. Counts exist for five functions only, and count launches.
#pragma once

#include <string_view>
#include <vector>

#include "model/facts.h"

namespace firstfault {

// Is this the beginning of one? A client's "OK" line in front is passed over.
bool is_ras_json(std::string_view head);

// In order of place. One RasStatus for each function whose counts differ, one INCOMPLETE for ranks
// that did not answer, one ERROR for ranks with an asynchronous error. A communicator that the file
// cuts off is not compared. Several answers may follow one another.
std::deque<RecordItem> read_ras_json(std::string_view bytes);

}  // namespace firstfault
