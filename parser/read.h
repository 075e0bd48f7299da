// Reads everything a person throws in: files, folders, archives, compressed files, standard input,
// digests.
//
//   Facts facts = read_inputs({"job/"}, book.matcher(), {.threads = 4});
//
// The result does not depend on the number of threads or the order of paths. What cannot be used is
// in Facts::skipped with one reason; a file that ends early is read as far as it goes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/literal_scanner.h"
#include "model/facts.h"
#include "parser/match/line_matcher.h"

namespace firstfault {

struct ReadLimits {
  std::uint64_t source_bytes = 64ull << 30;     // decoded bytes of one source
  std::uint64_t structured_bytes = 1ull << 30;  // of a dump that is read as a whole
  std::uint32_t members = 100'000;              // of all archives together
  std::uint32_t depth = 2;                      // archives within archives
  std::uint32_t ratio = 2'000;  // decoded to compressed bytes, beyond 64 MiB decoded
};

struct ReadOptions {
  unsigned threads = 0;  // 0 = one per processor
  ReadLimits limits;
  std::optional<LiteralScanner::Engine> engine;  // chosen by the size of the input when absent
  std::function<void(std::uint64_t done, std::uint64_t total)>
      progress;  // bytes; called from any thread
};

Facts read_inputs(const std::vector<std::string>& paths, const LineMatcher& matcher,
                  const ReadOptions& options);

}  // namespace firstfault
