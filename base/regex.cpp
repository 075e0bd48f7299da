#include "base/regex.h"

#include <re2/re2.h>

namespace firstfault {

namespace {
// Groups beyond this are matched but not reported; no signature has as many.
constexpr int kMaxGroups = 32;
}  // namespace

struct Regex::Impl {
  Impl(std::string_view pattern, const RE2::Options& options)
      : re(std::string(pattern), options), names(re.CapturingGroupNames()) {}

  bool match(std::string_view text, RE2::Anchor anchor,
             std::vector<std::string_view>* groups) const {
    re2::StringPiece found[kMaxGroups];
    const int wanted =
        groups == nullptr ? 0 : std::min(kMaxGroups, re.NumberOfCapturingGroups() + 1);
    const re2::StringPiece input(text.data(), text.size());
    if (!re.Match(input, 0, text.size(), anchor, found, wanted)) return false;
    if (groups != nullptr) {
      groups->clear();
      for (int i = 0; i < wanted; ++i) {
        groups->push_back(found[i].data() == nullptr
                              ? std::string_view()
                              : std::string_view(found[i].data(), found[i].size()));
      }
    }
    return true;
  }

  RE2 re;
  std::map<int, std::string> names;
};

Regex::Regex(std::string_view pattern, Options options) {
  RE2::Options o(RE2::Latin1);
  o.set_log_errors(false);
  o.set_max_mem(static_cast<std::int64_t>(options.max_memory));
  o.set_case_sensitive(options.case_sensitive);
  impl_ = std::make_unique<Impl>(pattern, o);
}

Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

bool Regex::ok() const { return impl_->re.ok(); }
std::string Regex::error() const { return impl_->re.error(); }

std::size_t Regex::error_offset() const {
  const std::string& arg = impl_->re.error_arg();
  const std::size_t at = arg.empty() ? 0 : impl_->re.pattern().find(arg);
  return at == std::string::npos ? 0 : at;
}

int Regex::program_size() const { return impl_->re.ProgramSize(); }

bool Regex::search(std::string_view text, std::vector<std::string_view>* groups) const {
  return impl_->match(text, RE2::UNANCHORED, groups);
}

bool Regex::full_match(std::string_view text, std::vector<std::string_view>* groups) const {
  return impl_->match(text, RE2::ANCHOR_BOTH, groups);
}

int Regex::group_count() const { return impl_->re.NumberOfCapturingGroups(); }
const std::map<int, std::string>& Regex::group_names() const { return impl_->names; }

}  // namespace firstfault
