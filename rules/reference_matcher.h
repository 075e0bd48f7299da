// The reference matcher: every signature whose anchor occurs in the line is tried, in order. Slow,
// obvious, and what faster matchers are compared with. It owns the compiled patterns.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "base/regex.h"
#include "parser/match/line_matcher.h"
#include "rules/signature.h"

namespace firstfault {

class ReferenceMatcher {
 public:
  explicit ReferenceMatcher(std::vector<Signature> signatures);
  ~ReferenceMatcher();

  void match(std::string_view line, SourceKind kind, const LineMatcher::Sink& sink) const;

  // One line's way through the signatures, which must be tried in ascending order.
  class Trial {
   public:
    Trial(const ReferenceMatcher& matcher, std::string_view line, SourceKind kind,
          const LineMatcher::Sink& sink);
    void signature(std::size_t number);

   private:
    const ReferenceMatcher& matcher_;
    std::string_view line_, text_;
    std::uint32_t kind_;
    const LineMatcher::Sink& sink_;
    std::vector<bool> claimed_;
    std::vector<std::string_view> groups_;
  };

  // The pattern of one signature, compiled at its first use.
  const Regex& regex(std::size_t signature) const;
  const std::vector<Signature>& signatures() const { return signatures_; }

 private:
  struct Compiled;
  std::vector<Signature> signatures_;
  std::vector<std::uint32_t> family_;  // number of the family, by signature
  std::vector<std::uint32_t> kinds_;   // bits of the source kinds, by signature
  std::uint32_t families_ = 0;
  std::unique_ptr<Compiled[]> compiled_;
};

}  // namespace firstfault
