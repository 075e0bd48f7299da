// The subcommands: each takes its parsed arguments and returns the exit status.
#pragma once

#include <string>
#include <vector>

#include "rules/rulebook.h"

namespace firstfault {

// Exit statuses (contract of `firstfault analyze`).
inline constexpr int kOk = 0;
inline constexpr int kFaultFound = 1;  // only with --exit-code
inline constexpr int kUsage = 2;
inline constexpr int kNothingRead = 3;
inline constexpr int kOutputFailed = 4;

struct CommonArguments {
  std::vector<std::string> rule_directories;
  unsigned threads = 0;
};

struct AnalyzeArguments {
  CommonArguments common;
  std::vector<std::string> paths;
  std::string format = "text";  // text, json
  std::string output;           // "" = standard output
  std::string colour = "auto";  // auto, always, never
  bool explain = false, exit_code = false, timing = false;
};

struct DigestArguments {
  CommonArguments common;
  std::vector<std::string> paths;
  std::string output;
};

struct RulesArguments {
  CommonArguments common;
  std::string action;  // test, list, show, lint
  std::string id;
};

int analyze(const AnalyzeArguments& arguments);
int digest(const DigestArguments& arguments);
int rules_command(const RulesArguments& arguments);

// Parses the command line and runs the subcommand.
int run(int argc, char** argv);

// The built-in rules and those of the given folders; says on stderr what is wrong with a rule file.
Result<Rulebook> load_rules(const CommonArguments& arguments);

}  // namespace firstfault
