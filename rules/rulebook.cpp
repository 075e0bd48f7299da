#include "rules/rulebook.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "base/hash.h"
#include "rules/built_in.h"
#include "rules/check.h"
#include "rules/indexed_matcher.h"
#include "rules/reference_matcher.h"
#include "rules/rule_json.h"

namespace firstfault {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kOriginNames[] = {
    "direct", "report_of_another", "collateral", "context", "noise", "finding"};

bool glob(const std::string& pattern, std::string_view id) {
  if (pattern.ends_with('*'))
    return id.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
  return id == pattern;
}

template <typename T>
const T* find_by_id(const std::vector<T>& list, std::string_view id) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const T& t) { return t.id == id; });
  return at == list.end() ? nullptr : &*at;
}

}  // namespace

std::string_view name(Origin origin) { return kOriginNames[static_cast<std::size_t>(origin)]; }

bool EdgeRule::matches(std::string_view from_class, std::string_view to_class) const {
  const auto any = [](const std::vector<std::string>& patterns, std::string_view id) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& p) { return glob(p, id); });
  };
  return any(from, from_class) && any(to, to_class);
}

struct Rulebook::Impl {
  RuleSet rules;
  std::vector<std::pair<std::string, std::string>> files;  // name, text
  std::unique_ptr<ReferenceMatcher> signatures;
  std::unique_ptr<IndexedMatcher> matcher;

  Status add(const std::string& file, const std::string& text) {
    RuleSet all = rules;
    if (Status s = add_rule_file(file, text, &all); !s) return s;
    if (Status s = check_rules(all, file, text); !s) return s;
    rules = std::move(all);
    files.emplace_back(file, text);
    return Done{};
  }
  void build() {
    matcher.reset();
    signatures = std::make_unique<ReferenceMatcher>(rules.signatures);
    matcher = std::make_unique<IndexedMatcher>(*signatures);
  }
};

Rulebook::Rulebook(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Rulebook::Rulebook(Rulebook&&) noexcept = default;
Rulebook& Rulebook::operator=(Rulebook&&) noexcept = default;
Rulebook::~Rulebook() = default;

Result<Rulebook> Rulebook::built_in() {
  auto impl = std::make_unique<Impl>();
  for (const BuiltInFile& file : built_in_rule_files()) {
    if (Status s = add_rule_file(file.name, file.text, &impl->rules); !s) return s.error();
    impl->files.emplace_back(file.name, file.text);
  }
  if (Status s = check_references(impl->rules); !s) return s.error();
  impl->build();
  return Rulebook(std::move(impl));
}

Status Rulebook::add_directory(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".json") paths.push_back(at->path().string());
  }
  if (error) return Error{directory + ": " + error.message()};
  std::sort(paths.begin(), paths.end());
  std::string problems;
  for (const std::string& path : paths) {
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const Status added = in.bad() || !in.is_open() ? Status(Error{path + ": cannot be read"})
                                                   : impl_->add(path, text);
    if (!added) problems += (problems.empty() ? "" : "\n") + added.error().message;
  }
  impl_->build();
  if (!problems.empty()) return Error{problems};
  return Done{};
}

const LineMatcher& Rulebook::matcher() const { return *impl_->matcher; }
const ReferenceMatcher& Rulebook::reference_matcher() const { return *impl_->signatures; }
const ClassInfo* Rulebook::cls(std::string_view id) const {
  return find_by_id(impl_->rules.classes, id);
}
const CauseInfo* Rulebook::cause(std::string_view id) const {
  return find_by_id(impl_->rules.causes, id);
}
const std::vector<EdgeRule>& Rulebook::edges() const { return impl_->rules.edges; }
const std::vector<MissingHint>& Rulebook::missing_hints() const { return impl_->rules.missing; }
const std::vector<EqualRule>& Rulebook::equal_rules() const { return impl_->rules.equal; }

std::size_t Rulebook::rule_count() const {
  return impl_->rules.signatures.size() + impl_->rules.edges.size() + impl_->rules.causes.size();
}

std::string Rulebook::hash() const {
  std::string all;
  for (const auto& [file, text] : impl_->files) {
    all += std::to_string(text.size()) + ':' + text;
  }
  return "sha256:" + sha256_hex(all);
}

}  // namespace firstfault
