#include "rules/indexed_matcher.h"

#include <algorithm>
#include <map>

namespace firstfault {

IndexedMatcher::IndexedMatcher(const ReferenceMatcher& signatures) : signatures_(signatures) {
  std::map<std::string, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < signatures.signatures().size(); ++i) {
    for (const std::string& anchor : signatures.signatures()[i].anchors) {
      const auto [at, fresh] = numbers.emplace(anchor, static_cast<std::uint32_t>(anchors_.size()));
      if (fresh) {
        anchors_.push_back(anchor);
        by_anchor_.emplace_back();
      }
      by_anchor_[at->second].push_back(i);
    }
  }
}

void IndexedMatcher::match(std::string_view line, SourceKind kind,
                           std::span<const std::uint32_t> held, const Sink& sink) const {
  if (held.empty()) return;
  std::vector<std::uint32_t> candidates;
  for (const std::uint32_t anchor : held) {
    candidates.insert(candidates.end(), by_anchor_[anchor].begin(), by_anchor_[anchor].end());
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  ReferenceMatcher::Trial trial(signatures_, line, kind, sink);
  for (const std::uint32_t signature : candidates) trial.signature(signature);
}

}  // namespace firstfault
