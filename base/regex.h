// The one place that knows RE2. Its string type differs between distributions
// (re2::StringPiece before 2023, absl::string_view after), so no other header includes it.
//
//   Regex r("rank (\\d+)", {.max_program = 2000});
//   std::vector<std::string_view> groups;
//   if (r.ok() && r.search("[rank 3]", &groups)) use(groups[1]);   // groups[0] is the whole match
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace firstfault {

class Regex {
 public:
  struct Options {
    std::size_t max_memory = 1u << 20;  // bytes for the compiled program and its DFA
    bool case_sensitive = true;
  };

  explicit Regex(std::string_view pattern) : Regex(pattern, Options{}) {}
  Regex(std::string_view pattern, Options options);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  bool ok() const;
  std::string error() const;         // what RE2 says of a pattern that is not ok
  std::size_t error_offset() const;  // position of the offending part in the pattern, 0 if unknown
  int program_size() const;

  // First match anywhere in text. groups[0] is the whole match; a group that took no part is an
  // empty view with data() == nullptr. Input need not be UTF-8 (matching is on Latin-1 bytes).
  bool search(std::string_view text, std::vector<std::string_view>* groups = nullptr) const;
  bool full_match(std::string_view text, std::vector<std::string_view>* groups = nullptr) const;

  int group_count() const;
  const std::map<int, std::string>& group_names() const;  // index -> (?P<name>...)

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firstfault
