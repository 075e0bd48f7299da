#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/skipped.h"
#include "model/facts_file.h"
#include "parser/read.h"

namespace firstfault {

int digest(const DigestArguments& arguments) {
  Result<Rulebook> rules = load_rules(arguments.common);
  if (!rules) {
    std::fputs(fmt::format("firstfault: {}\n", rules.error().message).c_str(), stderr);
    return kUsage;
  }
  ReadOptions options;
  options.threads = arguments.common.threads;
  const Facts facts = read_inputs(arguments.paths, rules->matcher(), options);
  say_skipped(facts.skipped);
  if (facts.sources.empty() && facts.skipped.empty()) {
    std::fputs("firstfault: nothing could be read\n", stderr);
    return kNothingRead;
  }
  if (Status written = write_output(arguments.output, write_facts(facts)); !written) {
    std::fputs(fmt::format("firstfault: {}\n", written.error().message).c_str(), stderr);
    return kOutputFailed;
  }
  return kOk;
}

}  // namespace firstfault
