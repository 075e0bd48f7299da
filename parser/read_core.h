// Core dumps of GPUs and of processes as sources: read in place where the file allows it, so that
// 100 GB of memory in them cost nothing.
#pragma once

#include "base/result.h"
#include "model/facts.h"
#include "parser/io/byte_stream.h"
#include "parser/read.h"

namespace firstfault {

// `info.kind` is gpu_core or host_core. A stream that cannot be read in place is taken into memory:
// a GPU's dump as a whole (its tables stand at the end), a process's up to its notes. Errors:
// damaged, cut short, over a limit; with what the stream says about its own end.
Result<SourceFacts> read_core(SourceInfo info, ByteStream& stream, const ReadLimits& limits);

}  // namespace firstfault
