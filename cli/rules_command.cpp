#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/output.h"
#include "rules/rule_test.h"

namespace firstfault {

int rules_command(const RulesArguments& arguments) {
  Result<Rulebook> rules = load_rules(arguments.common);
  if (!rules) {
    std::fputs(fmt::format("firstfault: {}\n", rules.error().message).c_str(), stderr);
    return kUsage;
  }
  std::string out;
  int status = kOk;
  if (arguments.action == "list") {
    out = list_rules(*rules);
  } else if (arguments.action == "show") {
    Result<std::string> shown = show_rule(*rules, arguments.id);
    if (!shown) {
      std::fputs(fmt::format("firstfault: {}\n", shown.error().message).c_str(), stderr);
      return kUsage;
    }
    out = *shown;
  } else {
    const RuleTestReport report = test_rules(*rules);
    for (const std::string& failure : report.failures) out += failure + '\n';
    out += fmt::format("{} rules, {} samples, {} failures\n", report.rules, report.samples,
                       report.failures.size());
    status = report.failures.empty() ? kOk : kFaultFound;
  }
  if (Status written = write_output("", out); !written) return kOutputFailed;
  return status;
}

}  // namespace firstfault
