#include "rules/reference_matcher.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace firstfault {

namespace {

constexpr std::size_t kCaptureBytes = 256;
constexpr std::size_t kMatchedBytes = 4096;  // of a line are given to a pattern

bool applies(const Signature& s, SourceKind kind) {
  return s.kinds.empty() ||
         std::find(s.kinds.begin(), s.kinds.end(), source_kind_name(kind)) != s.kinds.end();
}

}  // namespace

struct ReferenceMatcher::Compiled {
  std::once_flag once;
  std::unique_ptr<Regex> regex;
};

ReferenceMatcher::ReferenceMatcher(std::vector<Signature> signatures)
    : signatures_(std::move(signatures)) {
  std::map<std::string, std::uint32_t> numbers;
  for (const Signature& s : signatures_) {
    family_.push_back(
        numbers.emplace(s.family, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  families_ = static_cast<std::uint32_t>(numbers.size());
  compiled_ = std::make_unique<Compiled[]>(signatures_.size());
}

ReferenceMatcher::~ReferenceMatcher() = default;

const Regex& ReferenceMatcher::regex(std::size_t signature) const {
  Compiled& c = compiled_[signature];
  std::call_once(c.once,
                 [&] { c.regex = std::make_unique<Regex>(signatures_[signature].pattern); });
  return *c.regex;
}

void ReferenceMatcher::match(std::string_view line, SourceKind kind, const Sink& sink) const {
  std::vector<bool> claimed(families_, false);
  std::vector<std::string_view> groups;
  const std::string_view text = line.substr(0, kMatchedBytes);
  for (std::size_t i = 0; i < signatures_.size(); ++i) {
    const Signature& s = signatures_[i];
    if (claimed[family_[i]]) continue;
    const bool anchored =
        std::any_of(s.anchors.begin(), s.anchors.end(),
                    [&](const std::string& a) { return text.find(a) != std::string_view::npos; });
    if (!anchored || !applies(s, kind) || !regex(i).search(text, &groups)) continue;
    claimed[family_[i]] = true;
    Event event;
    event.cls = s.cls;
    event.signature = s.id;
    for (const auto& [group, name] : regex(i).group_names()) {
      if (groups[static_cast<std::size_t>(group)].data() == nullptr) continue;
      bool lossy = false;
      event.captures.push_back(
          {name, to_utf8(groups[static_cast<std::size_t>(group)], kCaptureBytes, &lossy)});
    }
    sink(std::move(event), static_cast<std::size_t>(groups[0].data() - line.data()),
         groups[0].size());
  }
}

}  // namespace firstfault
