// The report: what is told about one failed job, as JSON (docs/report.schema.json) or as text.
//
//   const ReportInput report{job, diagnosis, {version, rules.rule_count(), rules.hash()}};
//   render_text(report, {.colour = true});
#pragma once

#include <cstddef>
#include <string>

#include "model/job.h"
#include "model/verdict.h"

namespace firstfault {

struct ToolInfo {
  std::string version;
  std::size_t rule_count = 0;
  std::string rule_hash;  // "sha256:..."
};

// Refers to, does not own, what timeline/ and diagnosis/ found.
struct ReportInput {
  const Job& job;
  const Diagnosis& diagnosis;
  ToolInfo tool;

  // The attempt that the verdict is about; an empty one if the job has none.
  const Attempt& attempt() const {
    static const Attempt kNone;
    const auto index = static_cast<std::size_t>(diagnosis.attempt);
    return index < job.attempts.size() ? job.attempts[index] : kNone;
  }
};

struct TextOptions {
  int width = 100;  // columns; taken as 40 when less
  bool colour = false;
  bool explain = false;
};

// Both end with a newline and depend on nothing but their arguments. JSON: contract version 1,
// fixed order of keys; a list cut short has the count of what is left out beside it, "omitted"
// where its owner has no other such list, else "LIST_omitted".
std::string render_json(const ReportInput& input);
// About 45 lines however many ranks failed; `explain` adds all that the verdict rests on.
std::string render_text(const ReportInput& input, const TextOptions& options);

}  // namespace firstfault
