#include "rules/rule_test.h"

#include <fmt/format.h>

#include <algorithm>

#include "rules/reference_matcher.h"

namespace firstfault {

namespace {

// Which rule of `family` claims the line, "" if none.
std::string claimed_by(const ReferenceMatcher& matcher, const std::string& family,
                       std::string_view line) {
  std::string winner;
  matcher.match(line, SourceKind::unknown, [&](Event event, std::size_t, std::size_t) {
    for (const Signature& s : matcher.signatures()) {
      if (s.id == event.signature && s.family == family) winner = s.id;
    }
  });
  return winner;
}

}  // namespace

RuleTestReport test_rules(const Rulebook& book) {
  RuleTestReport report;
  const ReferenceMatcher& matcher = book.reference_matcher();
  for (std::size_t i = 0; i < matcher.signatures().size(); ++i) {
    const Signature& s = matcher.signatures()[i];
    ++report.rules;
    const auto fail = [&](const std::string& why) { report.failures.push_back(s.id + ": " + why); };
    if (!matcher.regex(i).ok()) {
      fail("pattern: " + matcher.regex(i).error());
      continue;
    }
    if (s.hit.empty()) fail("has no sample");
    for (const std::string& line : s.hit) {
      ++report.samples;
      const std::string winner = claimed_by(matcher, s.family, line);
      if (winner != s.id) {
        fail(winner.empty() ? "does not match its sample: " + line
                            : "its sample is claimed by " + winner + ": " + line);
      }
    }
    for (const std::string& line : s.miss) {
      ++report.samples;
      if (claimed_by(matcher, s.family, line) == s.id) fail("matches its counter-sample: " + line);
    }
  }
  return report;
}

std::string list_rules(const Rulebook& book) {
  std::string out;
  for (const Signature& s : book.reference_matcher().signatures()) {
    out += fmt::format("{:34} {:30} {}\n", s.id, s.cls, s.doc);
  }
  return out;
}

Result<std::string> show_rule(const Rulebook& book, std::string_view id) {
  for (const Signature& s : book.reference_matcher().signatures()) {
    if (s.id != id) continue;
    std::string out = fmt::format("{}\n  class    {} ({})\n  family   {}\n  pattern  {}\n", s.id,
                                  s.cls, name(book.cls(s.cls)->origin), s.family, s.pattern);
    for (const std::string& a : s.anchors) out += fmt::format("  anchor   {}\n", a);
    for (const std::string& h : s.hit) out += fmt::format("  hit      {}\n", h);
    for (const std::string& m : s.miss) out += fmt::format("  miss     {}\n", m);
    out += fmt::format("  source   {}\n", s.doc);
    if (!s.note.empty()) out += fmt::format("  note     {}\n", s.note);
    out += fmt::format("  defined  {}:{}:{}\n", s.file, s.line, s.column);
    return out;
  }
  return Error{"no rule '" + std::string(id) + "'"};
}

}  // namespace firstfault
