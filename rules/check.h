// What must hold between rules beyond their form.
#pragma once
#include "rules/rule_json.h"

namespace firstfault {

// Classes and causes that rules name exist, ids are unique. Cheap: done at every start for the
// built-in rules.
Status check_references(const RuleSet& rules);

// All of it for rules that came from `file`: references, regular expressions, anchors, samples.
Status check_rules(const RuleSet& rules, std::string_view file, std::string_view text);

}  // namespace firstfault
