// The reference matcher: every signature whose anchor occurs in the line is tried, in order. Slow,
// obvious, and what faster matchers are compared with.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "base/regex.h"
#include "parser/match/line_matcher.h"
#include "rules/signature.h"

namespace firstfault {

class ReferenceMatcher : public LineMatcher {
 public:
  explicit ReferenceMatcher(std::vector<Signature> signatures);
  ~ReferenceMatcher() override;
  void match(std::string_view line, SourceKind kind, const Sink& sink) const override;

  // The pattern of one signature, compiled at its first use.
  const Regex& regex(std::size_t signature) const;
  const std::vector<Signature>& signatures() const { return signatures_; }

 private:
  struct Compiled;
  std::vector<Signature> signatures_;
  std::vector<std::uint32_t> family_;  // number of the family, by signature
  std::uint32_t families_ = 0;
  std::unique_ptr<Compiled[]> compiled_;
};

}  // namespace firstfault
