// A place in one source and what stands there: the proof of every statement in a report.
#pragma once

#include <cstdint>
#include <string>

namespace firstfault {

inline constexpr std::size_t kQuoteBytes = 512;

// A place within a known source.
struct Quote {
  std::uint64_t offset = 0;  // of the first byte, in decoded (decompressed) bytes
  std::uint32_t length = 0;  // bytes
  std::uint32_t line = 0;    // 1-based; 0 when the source has no lines
  std::string record;        // path inside a structured source: "entries[9]"
  std::string text;          // valid UTF-8, at most kQuoteBytes
  bool lossy = false;        // text differs from the bytes (not UTF-8)

  friend bool operator==(const Quote&, const Quote&) = default;
};

// A place within the job: the source is an index into Job::sources.
struct Evidence {
  std::uint32_t source = 0;
  Quote quote;

  friend bool operator==(const Evidence&, const Evidence&) = default;
};

}  // namespace firstfault
