// What makes a line worth a look: the anchors of all signatures, the gates of all line parsers, and
// the words of trouble. One scan of a window finds every occurrence of all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/literal_scanner.h"
#include "parser/match/line_matcher.h"

namespace firstfault {

class Vocabulary {
 public:
  // Inputs from this size on are scanned with libhs, whose database takes longer to build.
  static constexpr std::uint64_t kLargeInput = 8u << 20;

  struct Meaning {
    std::uint32_t length = 0;
    std::uint32_t parsers = 0;  // bits, in the order of make_line_parsers()
    std::int32_t anchor = -1;   // LineMatcher::anchors()
    bool alarm = false;         // an error-looking word
    // See Gate.
    bool dense = false, timeless = false, before = false;
  };

  Vocabulary(const LineMatcher& matcher, LiteralScanner::Engine engine);
  static LiteralScanner::Engine engine_for(std::uint64_t input_bytes);

  const LiteralScanner& scanner() const { return scanner_; }
  const Meaning& meaning(std::uint32_t literal) const { return meanings_[literal]; }

 private:
  struct Words;
  explicit Vocabulary(Words words, LiteralScanner::Engine engine);
  std::vector<Meaning> meanings_;
  LiteralScanner scanner_;
};

}  // namespace firstfault
