#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <mutex>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/skipped.h"
#include "diagnosis/diagnose.h"
#include "parser/read.h"
#include "report/report.h"
#include "timeline/join.h"
#include "version.h"

namespace firstfault {

namespace {

using Steady = std::chrono::steady_clock;

// A line on the terminal that shows how far reading is, after the first second.
class ProgressLine {
 public:
  ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1), start_(Steady::now()) {}
  ~ProgressLine() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
  }
  void update(std::uint64_t done, std::uint64_t total) {
    if (!terminal_) return;
    const std::lock_guard lock(mutex_);
    const auto now = Steady::now();
    if (now - start_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(200))
      return;
    last_ = now;
    shown_ = true;
    std::fputs(fmt::format("\rreading {} of {} MiB", done >> 20, total >> 20).c_str(), stderr);
  }

 private:
  bool terminal_, shown_ = false;
  Steady::time_point start_, last_;
  std::mutex mutex_;
};

double since(Steady::time_point start) {
  return std::chrono::duration<double, std::milli>(Steady::now() - start).count();
}

}  // namespace

Result<Rulebook> load_rules(const CommonArguments& arguments) {
  Result<Rulebook> book = Rulebook::built_in();
  if (!book) return book;
  for (const std::string& directory : arguments.rule_directories) {
    if (Status added = book->add_directory(directory); !added) return added.error();
  }
  return book;
}

int analyze(const AnalyzeArguments& arguments) {
  const auto start = Steady::now();
  Result<Rulebook> rules = load_rules(arguments.common);
  if (!rules) {
    std::fputs(fmt::format("firstfault: {}\n", rules.error().message).c_str(), stderr);
    return kUsage;
  }
  const double loaded = since(start);
  Facts facts;
  {
    ProgressLine progress;
    ReadOptions options;
    options.threads = arguments.common.threads;
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
      progress.update(done, total);
    };
    facts = read_inputs(arguments.paths, rules->matcher(), options);
  }
  const double read = since(start);
  say_skipped(facts.skipped);
  if (facts.sources.empty()) {
    std::fputs("firstfault: nothing could be read\n", stderr);
    return kNothingRead;
  }
  const Job job = join(facts);
  const Diagnosis diagnosis = diagnose(job, *rules);
  const ReportInput report{
      job, diagnosis, {FIRSTFAULT_VERSION, rules->rule_count(), rules->hash()}};
  std::string out;
  if (arguments.format == "json") {
    out = render_json(report);
  } else {
    TextOptions options;
    options.colour = colour_wanted(arguments.colour, arguments.output);
    options.explain = arguments.explain;
    out = render_text(report, options);
  }
  if (Status written = write_output(arguments.output, out); !written) {
    std::fputs(fmt::format("firstfault: {}\n", written.error().message).c_str(), stderr);
    return kOutputFailed;
  }
  if (arguments.timing) {
    std::fputs(fmt::format("firstfault: rules {:.1f} ms, reading {:.1f} ms, all {:.1f} ms\n",
                           loaded, read - loaded, since(start))
                   .c_str(),
               stderr);
  }
  return arguments.exit_code && diagnosis.verdict.status == VerdictStatus::fault_found ? kFaultFound
                                                                                       : kOk;
}

}  // namespace firstfault
