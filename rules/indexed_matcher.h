// Tries only the signatures whose anchors a line is known to hold.
#pragma once
#include <string>
#include <vector>

#include "parser/match/line_matcher.h"
#include "rules/reference_matcher.h"

namespace firstfault {

class IndexedMatcher : public LineMatcher {
 public:
  // `signatures` must outlive this.
  explicit IndexedMatcher(const ReferenceMatcher& signatures);
  const std::vector<std::string>& anchors() const override { return anchors_; }
  void match(std::string_view line, SourceKind kind, std::span<const std::uint32_t> held,
             const Sink& sink) const override;

 private:
  const ReferenceMatcher& signatures_;
  std::vector<std::string> anchors_;
  std::vector<std::vector<std::uint32_t>> by_anchor_;  // signatures, ascending
};

}  // namespace firstfault
