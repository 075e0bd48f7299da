// The only file that knows CLI11.
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "version.h"

namespace firstfault {

namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  firstfault analyze job/                          what failed first in this job?\n"
    "  firstfault analyze job/ --explain                ... and let me check the reasoning\n"
    "  firstfault analyze job.tar.gz dmesg.txt --format json -o report.json\n"
    "  firstfault digest /var/log/job -o node1.ffd      facts of one host, small enough to copy\n"
    "  firstfault analyze *.ffd                         the same verdict as from the raw logs\n"
    "  firstfault rules show kernel.xid.bus\n";

constexpr const char* kAnalyzeExamples =
    "Input is whatever there is: folders, rank logs, launcher output, dmesg or journalctl -k, "
    "Flight Recorder\n"
    "dumps, error.json, RAS status, archives (.tar, .zip, .gz, .xz, .zst, .bz2), digests (.ffd), - "
    "for standard input.\n"
    "Exit status: 0 report written, 1 fault found (only with --exit-code), 2 wrong usage, 3 "
    "nothing could be read,\n"
    "4 the report could not be written.\n"
    "\nExamples:\n"
    "  firstfault analyze job/\n"
    "  srun ... 2>&1 | firstfault analyze -\n"
    "  firstfault analyze logs/ node7.dmesg --format json -o report.json\n";

void common(CLI::App* app, CommonArguments* arguments) {
  app->add_option("--rules", arguments->rule_directories, "Add the rule files of a folder")
      ->type_name("DIR");
  app->add_option("--threads", arguments->threads, "Reading threads (default: one per processor)")
      ->check(CLI::Range(0u, 1024u));
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app{
      "firstfault: finds the first failing CUDA operation of a crashed or hung multi-GPU job"};
  app.set_version_flag("--version", std::string("firstfault ") + FIRSTFAULT_VERSION);
  app.require_subcommand(1);
  app.footer(kExamples);

  AnalyzeArguments a;
  CLI::App* analyze_app =
      app.add_subcommand("analyze", "Say which failure was first, why, and how sure that is");
  analyze_app->add_option("PATH", a.paths, "Files, folders, archives, digests, or -")->required();
  analyze_app->add_option("--format", a.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  analyze_app->add_option("-o,--output", a.output, "Write the report to this file")
      ->type_name("FILE");
  analyze_app->add_option("--color", a.colour, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  analyze_app->add_flag("--explain", a.explain,
                        "Show the checklist, the graph, clocks and coverage");
  analyze_app->add_flag("--exit-code", a.exit_code, "Exit with 1 when a fault was found");
  analyze_app->add_flag("--timing", a.timing, "Say on standard error how long it took");
  common(analyze_app, &a.common);
  analyze_app->footer(kAnalyzeExamples);

  DigestArguments d;
  CLI::App* digest_app =
      app.add_subcommand("digest", "Write the facts of some logs to a small file");
  digest_app->add_option("PATH", d.paths, "Files, folders, archives, digests, or -")->required();
  digest_app->add_option("-o,--output", d.output, "The digest file")->type_name("FILE")->required();
  common(digest_app, &d.common);
  digest_app->footer("Example:\n  firstfault digest /var/log/job -o node1.ffd\n");

  RulesArguments r;
  CLI::App* rules_app = app.add_subcommand("rules", "Look at and check the rule catalogue");
  rules_app->require_subcommand(1);
  for (const char* action : {"test", "list"}) {
    CLI::App* sub = rules_app->add_subcommand(action, std::string(action) == "test"
                                                          ? "Check every rule against its samples"
                                                          : "List all signatures");
    common(sub, &r.common);
    sub->callback([&r, action] { r.action = action; });
  }
  CLI::App* show = rules_app->add_subcommand("show", "Show one rule");
  show->add_option("ID", r.id, "Rule id")->required();
  common(show, &r.common);
  show->callback([&r] { r.action = "show"; });
  rules_app->footer(
      "Examples:\n  firstfault rules test --rules site-rules/\n  firstfault rules show "
      "nccl.socket.closed\n");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kOk : kUsage;
  }
  if (analyze_app->parsed()) return analyze(a);
  if (digest_app->parsed()) return digest(d);
  return rules_command(r);
}

}  // namespace firstfault
