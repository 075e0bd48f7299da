#include "rules/check.h"

#include <algorithm>
#include <set>

#include "base/regex.h"

namespace firstfault {

namespace {

constexpr std::size_t kShortestAnchor = 4;
constexpr int kLargestProgram = 4000;

// Names that a capture may have: each is a type that later rooms understand.
constexpr std::string_view kCaptureNames[] = {
    "rank",   "ranks",     "host", "pid",        "pci",          "address",   "bytes",  "duration",
    "errno",  "wc_status", "xid",  "cuda_error", "path",         "text",      "device", "process",
    "name",   "api",       "code", "expression", "kernel",       "interface", "value",  "version",
    "signal", "limit",     "size", "other_size", "vendor_error", "key",       "node",   "job"};

struct Problem {
  const Signature* rule;
  std::string message;
};

template <typename T, typename Id>
std::string duplicate(const std::vector<T>& list, Id id) {
  std::set<std::string> seen;
  for (const T& item : list) {
    if (!seen.insert(id(item)).second) return id(item);
  }
  return {};
}

std::string check_signature(const Signature& s) {
  if (s.anchors.empty()) return "a signature needs anchors: literals of which each match holds one";
  for (const std::string& a : s.anchors) {
    if (a.size() < kShortestAnchor) return "anchor \"" + a + "\" is shorter than 4 bytes";
  }
  const Regex regex(s.pattern);
  if (!regex.ok()) return "pattern: " + regex.error();
  if (regex.program_size() > kLargestProgram) return "pattern is too large";
  for (const auto& [number, capture] : regex.group_names()) {
    if (std::find(std::begin(kCaptureNames), std::end(kCaptureNames), capture) ==
        std::end(kCaptureNames)) {
      return "unknown capture \"" + capture + "\"";
    }
  }
  if (s.hit.empty()) return "a signature needs at least one \"hit\" line";
  const auto matches = [&](const std::string& line) {
    return std::any_of(s.anchors.begin(), s.anchors.end(),
                       [&](const std::string& a) { return line.find(a) != std::string::npos; }) &&
           regex.search(line);
  };
  for (const std::string& line : s.hit) {
    if (!matches(line)) return "does not match its own sample: " + line;
  }
  for (const std::string& line : s.miss) {
    if (matches(line)) return "matches its counter-sample: " + line;
  }
  return {};
}

}  // namespace

Status check_references(const RuleSet& rules) {
  std::set<std::string> classes, causes;
  for (const ClassInfo& c : rules.classes) classes.insert(c.id);
  for (const CauseInfo& c : rules.causes) causes.insert(c.id);
  for (const ClassInfo& c : rules.classes) {
    if (!c.cause.empty() && causes.count(c.cause) == 0)
      return Error{"class " + c.id + " names unknown cause " + c.cause};
  }
  for (const CauseInfo& c : rules.causes) {
    for (const std::string& r : c.required) {
      if (classes.count(r) == 0) return Error{"cause " + c.id + " requires unknown class " + r};
    }
  }
  const auto known = [&](const std::string& pattern) {
    if (!pattern.ends_with('*')) return classes.count(pattern) != 0;
    const std::string stem = pattern.substr(0, pattern.size() - 1);
    return std::any_of(classes.begin(), classes.end(),
                       [&](const std::string& c) { return c.starts_with(stem); });
  };
  for (const EdgeRule& e : rules.edges) {
    for (const auto* side : {&e.from, &e.to}) {
      for (const std::string& pattern : *side) {
        if (!known(pattern)) return Error{"edge " + e.id + " names unknown class " + pattern};
      }
    }
  }
  for (const Signature& s : rules.signatures) {
    if (classes.count(s.cls) == 0)
      return Error{"signature " + s.id + " names unknown class " + s.cls};
  }
  std::string twice = duplicate(rules.signatures, [](const Signature& s) { return s.id; });
  if (twice.empty()) twice = duplicate(rules.classes, [](const ClassInfo& c) { return c.id; });
  if (twice.empty()) twice = duplicate(rules.causes, [](const CauseInfo& c) { return c.id; });
  if (twice.empty()) twice = duplicate(rules.edges, [](const EdgeRule& e) { return e.id; });
  if (!twice.empty()) return Error{"id " + twice + " is defined twice"};
  return Done{};
}

Status check_rules(const RuleSet& rules, std::string_view file, std::string_view text) {
  if (Status s = check_references(rules); !s) {
    // Point at the id that the message names.
    std::size_t at = std::string_view::npos;
    for (const Signature& rule : rules.signatures) {
      if (rule.file == file && s.error().message.find(rule.id) != std::string::npos)
        at = text.rfind('"' + rule.id + '"');
    }
    return located(file, text, at == std::string_view::npos ? 0 : at, s.error().message);
  }
  for (const Signature& rule : rules.signatures) {
    if (rule.file != file) continue;
    if (const std::string problem = check_signature(rule); !problem.empty()) {
      const std::size_t at = text.find('"' + rule.id + '"');
      return located(file, text, at == std::string_view::npos ? 0 : at, rule.id + ": " + problem);
    }
  }
  return Done{};
}

}  // namespace firstfault
