// PyTorch Flight Recorder dumps, as pickle or JSON: "nccl_trace_rank_3", "comm_lib_trace_rank_3",
// output of _dump_nccl_trace_json.
//
//   Result<FrDump> dump = read_flight_recorder(bytes);
//   dump->entries[9].collective_seq   // 10
//
// Format: torch/csrc/distributed/c10d/FlightRecorder*.{hpp,cpp}, format 1.1 to 2.10 (torch 2.2
// to 2.14). Which keys are present decides, never the version. Sizes are elements, times
// nanoseconds of the UTC epoch as written. The rank is not inside the file.
//
// What is not certain stays absent: members and pg_status of a group are given only if the file
// names the group unambiguously (see fr_groups.h). A torn file gives the entries that were
// complete, with FrDump::truncated. At most the newest kFrWindow entries of each group are kept;
// entries_total counts all.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/flight_recorder.h"
#include "parser/dumps/document.h"

namespace firstfault {

inline constexpr std::size_t kFrWindow = 4096;

// Errors: neither pickle nor JSON, damaged, an opcode that is not allowed, too large, or
// well-formed but no Flight Recorder dump. Work and memory are linear in the file.
Result<FrDump> read_flight_recorder(std::string_view bytes, const DumpLimits& limits = {});

// The same from a document already read.
Result<FrDump> flight_recorder_of(const Document& doc);

}  // namespace firstfault
