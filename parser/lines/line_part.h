#pragma once

#include <cstdint>
#include <string_view>

namespace firstfault {

// A line without its end, or what stands between the carriage returns of one.
struct LinePart {
  std::string_view text;
  std::uint64_t offset = 0;  // of text in the decoded bytes
  std::uint32_t number = 0;  // of the physical line, from 1
  std::string_view head;     // what the physical line begins with when this is not its first part
};

}  // namespace firstfault
