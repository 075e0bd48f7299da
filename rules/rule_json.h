// Rule files (JSON) to plain structs. The only file of this room that knows the JSON library.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rules/rulebook.h"
#include "rules/signature.h"

namespace firstfault {

// Everything one or more rule files define.
struct RuleSet {
  std::vector<ClassInfo> classes;
  std::vector<CauseInfo> causes;
  std::vector<EdgeRule> edges;
  std::vector<MissingHint> missing;
  std::vector<EqualRule> equal;
  std::vector<Signature> signatures;
};

// Adds the content of one file to `rules`. The error is "file:line:column: message", the line and a
// caret.
Status add_rule_file(std::string_view name, std::string_view text, RuleSet* rules);

// The form of an error with position, for checks made after loading.
Error located(std::string_view name, std::string_view text, std::size_t offset,
              std::string_view message);

}  // namespace firstfault
