// torchelastic's error.json: the uncaught exception of one worker, written by the worker itself.
//
//   {"message": {"message": "ValueError: text",
//                "extraInfo": {"py_callstack": "Traceback ...", "timestamp": "1796097636"}}}
//
// Format: torch/distributed/elastic/multiprocessing/errors/error_handler.py (1.9 to 2.14); older
// ones have a plain string as "message" and the timestamp at top level.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/record.h"
#include "model/stamp.h"

namespace firstfault {

// *when becomes a utc stamp one second wide, or stays untouched when the file has no time. Errors:
// not JSON, or no message in it. A file that ends early is read as far as it goes.
Result<ExceptionReport> read_error_json(std::string_view bytes, Stamp* when);

}  // namespace firstfault
