#include "diagnosis/minority.h"

#include <algorithm>

namespace firstfault {

namespace {

using Values = std::map<std::string, RankSet>;

void look_at(const Attempt& attempt, const std::string& name, const Values& values, const char* cls,
             std::vector<Finding>* out) {
  if (values.size() < 2) return;
  const auto majority = std::max_element(
      values.begin(), values.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  Finding f;
  f.cls = cls;
  f.details = {{"name", name}, {"there", majority->first}};
  for (const auto& [value, ranks] : values) {
    if (value == majority->first) continue;
    f.subjects.merge(ranks);
    f.details.push_back({"here", value});
    const auto evidence = attempt.setting_evidence.find(name);
    if (evidence == attempt.setting_evidence.end()) continue;
    const auto of_value = evidence->second.find(value);
    if (of_value == evidence->second.end()) continue;
    for (const Evidence& e : of_value->second) {
      if (f.evidence.size() < 6) f.evidence.push_back(e);
    }
  }
  f.others = majority->second;
  f.subjects = f.subjects.minus(f.others);
  const bool tie = std::any_of(values.begin(), values.end(), [&](const auto& v) {
    return v.first != majority->first && v.second.size() == majority->second.size();
  });
  if (tie) {
    f.subjects.merge(f.others);
    f.details.push_back({"tie", "yes"});
  }
  if (!f.subjects.empty()) out->push_back(std::move(f));
}

}  // namespace

std::vector<Finding> find_minorities(const Attempt& attempt, const Rulebook& rules) {
  std::vector<Finding> out;
  for (const EqualRule& rule : rules.equal_rules()) {
    if (rule.severity != "breaks") continue;
    if (const auto s = attempt.settings.find(rule.name); s != attempt.settings.end()) {
      look_at(attempt, rule.name, s->second, "settings.minority", &out);
    }
    if (const auto v = attempt.versions.find(rule.name); v != attempt.versions.end()) {
      look_at(attempt, rule.name, v->second, "versions.minority", &out);
    }
  }
  return out;
}

}  // namespace firstfault
