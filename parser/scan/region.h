// Stretches of a source that hold whole lines.
//
// A line here is a part: '\n' ends it, and so does '\r', because a progress bar redraws itself with
// '\r' for megabytes and the error that ends the job is glued to its end. CRLF counts as one end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace firstfault {

struct Region {
  // What was given out before, as far back as kContext, then what is new. Unless the source begins
  // here, bytes[begin - 1] is the end of the part in front.
  std::string_view bytes;
  std::size_t begin = 0;  // of what is new: parts, each with its end; only the last of a source may
                          // lack it
  std::uint64_t offset = 0;  // of bytes[0] in the decoded source
  bool cut = false;          // the only new part was longer than kLongest

  static constexpr std::size_t kLongest = 64u << 10;  // of a part; what exceeds it is dropped
  static constexpr std::size_t kContext = 8192;
};

inline bool ends_part(char c) { return c == '\n' || c == '\r'; }
// Position of the first end at or behind `from`, npos if none.
std::size_t next_end(std::string_view bytes, std::size_t from);
// Position of the last end in front of `to` and not in front of `from`, npos if none.
std::size_t last_end(std::string_view bytes, std::size_t from, std::size_t to);
std::uint64_t count_newlines(std::string_view bytes);

}  // namespace firstfault
