#pragma once

#include "parser/match/line_matcher.h"

namespace firstfault::test {

// A catalogue without signatures.
class NoMatcher : public LineMatcher {
 public:
  const std::vector<std::string>& anchors() const override { return none_; }
  void match(std::string_view, SourceKind, std::span<const std::uint32_t>,
             const Sink&) const override {}

 private:
  std::vector<std::string> none_;
};

}  // namespace firstfault::test
