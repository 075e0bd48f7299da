#include "parser/scan/region.h"

#include <algorithm>
#include <cstring>

namespace firstfault {

// In steps, so that neither of the two ends is looked for far behind the other.
std::size_t next_end(std::string_view bytes, std::size_t from) {
  for (std::size_t step = 256; from < bytes.size(); step *= 2) {
    const std::string_view chunk = bytes.substr(from, step);
    const std::size_t newline = chunk.find('\n');
    const std::size_t end = std::min(newline, chunk.substr(0, newline).find('\r'));
    if (end != std::string_view::npos) return from + end;
    from += chunk.size();
  }
  return std::string_view::npos;
}

std::size_t last_end(std::string_view bytes, std::size_t from, std::size_t to) {
  const auto last = [&](char c, std::size_t begin) {
    const void* const at = begin < to ? memrchr(bytes.data() + begin, c, to - begin) : nullptr;
    return at == nullptr ? std::string_view::npos
                         : static_cast<std::size_t>(static_cast<const char*>(at) - bytes.data());
  };
  const std::size_t newline = last('\n', from);
  const std::size_t r = last('\r', newline == std::string_view::npos ? from : newline + 1);
  return r == std::string_view::npos ? newline : r;
}

std::uint64_t count_newlines(std::string_view bytes) {
  using Lanes = signed char __attribute__((vector_size(16)));
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  std::uint64_t count = 0;
  constexpr std::size_t kStep = 4 * sizeof(Lanes);
  const Lanes newline = {'\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n',
                         '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n'};
  while (static_cast<std::size_t>(end - p) >= kStep) {
    Lanes sum{};
    // A lane counts down from zero and holds at most 4 * 31 = 124 hits.
    for (int round = 0; round < 31 && static_cast<std::size_t>(end - p) >= kStep; ++round) {
      for (std::size_t i = 0; i < kStep; i += sizeof(Lanes)) {
        Lanes chunk;
        std::memcpy(&chunk, p + i, sizeof chunk);
        sum += static_cast<Lanes>(chunk == newline);
      }
      p += kStep;
    }
    for (std::size_t i = 0; i < sizeof(Lanes); ++i) count += static_cast<std::uint64_t>(-sum[i]);
  }
  for (; p < end; ++p) count += *p == '\n';
  return count;
}

}  // namespace firstfault
