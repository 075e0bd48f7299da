#include "rules/reference_matcher.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace firstfault {

namespace {

constexpr std::size_t kCaptureBytes = 256;
constexpr std::uint32_t kAnyKind = ~0u;

std::uint32_t bit(SourceKind kind) { return 1u << static_cast<unsigned>(kind); }

std::uint32_t kind_bits(const Signature& s) {
  if (s.kinds.empty()) return kAnyKind;
  std::uint32_t bits = 0;
  for (auto k = SourceKind::unknown; k <= SourceKind::empty;
       k = static_cast<SourceKind>(static_cast<int>(k) + 1)) {
    if (std::find(s.kinds.begin(), s.kinds.end(), source_kind_name(k)) != s.kinds.end())
      bits |= bit(k);
  }
  return bits;
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
    kinds_.push_back(kind_bits(s));
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

ReferenceMatcher::Trial::Trial(const ReferenceMatcher& matcher, std::string_view line,
                               SourceKind kind, const LineMatcher::Sink& sink)
    : matcher_(matcher),
      line_(line),
      text_(line.substr(0, LineMatcher::kMatchedBytes)),
      kind_(bit(kind)),
      sink_(sink),
      claimed_(matcher.families_, false) {}

void ReferenceMatcher::Trial::signature(std::size_t number) {
  const std::uint32_t family = matcher_.family_[number];
  if (claimed_[family] || (matcher_.kinds_[number] & kind_) == 0) return;
  const Regex& regex = matcher_.regex(number);
  if (!regex.search(text_, &groups_)) return;
  claimed_[family] = true;
  Event event;
  event.cls = matcher_.signatures_[number].cls;
  event.signature = matcher_.signatures_[number].id;
  for (const auto& [group, name] : regex.group_names()) {
    const std::string_view value = groups_[static_cast<std::size_t>(group)];
    if (value.data() == nullptr) continue;
    bool lossy = false;
    event.captures.push_back({name, to_utf8(value, kCaptureBytes, &lossy)});
  }
  sink_(std::move(event), static_cast<std::size_t>(groups_[0].data() - line_.data()),
        groups_[0].size());
}

void ReferenceMatcher::match(std::string_view line, SourceKind kind,
                             const LineMatcher::Sink& sink) const {
  Trial trial(*this, line, kind, sink);
  const std::string_view text = line.substr(0, LineMatcher::kMatchedBytes);
  for (std::size_t i = 0; i < signatures_.size(); ++i) {
    const std::vector<std::string>& anchors = signatures_[i].anchors;
    if (std::any_of(anchors.begin(), anchors.end(),
                    [&](const std::string& a) { return text.find(a) != std::string_view::npos; }))
      trial.signature(i);
  }
}

}  // namespace firstfault
