// The text of Python's traceback module, as error.json carries it whole in one string.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/record.h"

namespace firstfault {

inline constexpr std::size_t kCallStackFrames = 64;  // the innermost of a deeper stack

struct ExceptionLine {
  std::string type;     // "torch.distributed.DistBackendError", "" when the text names no type
  std::string message;  // lines joined by '\n', at most kQuoteBytes
};

// "ValueError: text" cut at the first ": ", if what stands before it is a dotted name.
ExceptionLine split_exception(std::string_view text);

struct CallStack {
  std::vector<StackFrame> frames;  // of the last traceback, outermost first
  std::vector<ExceptionLine>
      chain;  // one a traceback, in order of printing; the first is the origin
};

CallStack read_call_stack(std::string_view text);

}  // namespace firstfault
