// Checks the catalogue against its own samples, and shows it to people (firstfault rules ...).
#pragma once
#include <string>
#include <vector>

#include "rules/rulebook.h"

namespace firstfault {

struct RuleTestReport {
  std::size_t rules = 0, samples = 0;
  std::vector<std::string> failures;  // one line each: "kernel.xid.bus: ..."
};

// Every hit line must be claimed by its own rule in its family, no miss line may be matched by it.
RuleTestReport test_rules(const Rulebook& book);

std::string list_rules(const Rulebook& book);
Result<std::string> show_rule(const Rulebook& book, std::string_view id);

}  // namespace firstfault
