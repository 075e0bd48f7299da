#include "parser/scan/vocabulary.h"

#include <map>

#include "parser/line_parsers.h"

namespace firstfault {

namespace {

constexpr std::string_view kAlarms[] = {
    "error",     "Error",     "ERROR",     "failed", "Failed", "FAILED", "failure",  "Failure",
    "FAILURE",   "fatal",     "Fatal",     "FATAL",  "abort",  "Abort",  "ABORT",    "traceback",
    "Traceback", "exception", "Exception", "killed", "Killed", "KILLED", "segfault", "Segfault"};

}  // namespace

struct Vocabulary::Words {
  std::vector<std::string> literals;
  std::vector<Meaning> meanings;
  std::map<std::string, std::size_t> numbers;

  Meaning& of(std::string_view literal) {
    const auto [at, fresh] = numbers.emplace(literal, literals.size());
    if (fresh) {
      literals.emplace_back(literal);
      meanings.emplace_back().length = static_cast<std::uint32_t>(literal.size());
    }
    return meanings[at->second];
  }

  explicit Words(const LineMatcher& matcher) {
    const std::vector<std::string>& anchors = matcher.anchors();
    for (std::size_t i = 0; i < anchors.size(); ++i) of(anchors[i]).anchor = static_cast<int>(i);
    const auto parsers = make_line_parsers();
    for (std::size_t i = 0; i < parsers.size(); ++i) {
      for (const Gate& gate : parsers[i]->gates()) {
        Meaning& m = of(gate.literal);
        m.parsers |= 1u << i;
        m.dense |= gate.use == Gate::Use::dense;
        m.timeless |= gate.use == Gate::Use::timeless;
        m.before |= gate.use == Gate::Use::before;
      }
    }
    for (const std::string_view word : kAlarms) of(word).alarm = true;
  }
};

Vocabulary::Vocabulary(const LineMatcher& matcher, LiteralScanner::Engine engine)
    : Vocabulary(Words(matcher), engine) {}

Vocabulary::Vocabulary(Words words, LiteralScanner::Engine engine)
    : meanings_(std::move(words.meanings)), scanner_(std::move(words.literals), engine) {}

LiteralScanner::Engine Vocabulary::engine_for(std::uint64_t input_bytes) {
  return input_bytes >= kLargeInput ? LiteralScanner::Engine::hyperscan
                                    : LiteralScanner::Engine::aho_corasick;
}

}  // namespace firstfault
