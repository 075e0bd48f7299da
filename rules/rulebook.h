// The rulebook: everything the catalogue (rules/catalog/*.json) knows, loaded and checked.
//
//   Result<Rulebook> book = Rulebook::built_in();          // compiled into the binary
//   book->add_directory("site-rules");                      // --rules DIR
//   read_path(path, book->matcher(), ...);                  // signatures run behind parser's seam
//   book->cls("echo.watchdog_timeout")->origin              // Origin::report_of_another
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parser/match/line_matcher.h"

namespace firstfault {

enum class Origin : std::uint8_t { direct, report_of_another, collateral, context, noise, finding };
std::string_view name(Origin origin);

struct ClassInfo {
  std::string id;  // "kernel.xid_bus"
  Origin origin = Origin::context;
  std::string cause;  // taxonomy id that a direct or finding class is evidence for, "" none
  std::string what;   // one plain sentence part, lower case
  bool weak = false;  // evidence, but never alone enough for `certain`
};

struct CauseInfo {
  std::string id;      // "coll.mismatch"
  std::string domain;  // app, platform, fabric, scheduler, unknown
  std::string what;
  // Classes any one of which is direct evidence good enough for `certain`.
  std::vector<std::string> required;
  // Sources that must have been observed for `certain` ("kernel", "flight_recorder" ...): a cause
  // that something louder could hide behind (app.killed needs "kernel": an OOM kill looks the
  // same).
  std::vector<std::string> must_cover;
  std::vector<std::string> advice;  // placeholders {rank} {host} {gpu} {op} {seq} {communicator}
  std::string action;               // kind of Action; "" = none
  std::string action_why;
};

// How the cause's and the consequence's subjects must be related.
enum class Join : std::uint8_t { job, host, gpu, process, rank, communicator, peer };

struct EdgeRule {
  std::string id;
  std::vector<std::string> from;  // class ids or prefixes ending in '*'
  std::vector<std::string> to;
  Join join = Join::job;
  double min_delay_s = -5;  // the consequence's time minus the cause's; may be negative
  double max_delay_s = 7200;
  std::string why_not;  // why a consequence is not the cause; placeholders {from_ranks} {to_ranks}
                        // {op} {seq}

  bool matches(std::string_view from_class, std::string_view to_class) const;
};

struct MissingHint {
  std::string source;  // "kernel", "flight_recorder", "nccl_debug", "rank_log", "launcher"
  std::string what;    // placeholders {host} {ranks}
  std::string why, how;
};

// Settings and versions that must be equal on all ranks of a job.
struct EqualRule {
  std::string name;      // "NCCL_PROTO"
  std::string severity;  // "breaks": differing values alone can break a collective; "suspicious"
};

class ReferenceMatcher;

class Rulebook {
 public:
  static Result<Rulebook> built_in();
  Rulebook(Rulebook&&) noexcept;
  Rulebook& operator=(Rulebook&&) noexcept;
  ~Rulebook();

  // Adds the rule files of a folder. A broken file is an error that names file:line:column, shows
  // the line and a caret; what was loaded before stays usable.
  Status add_directory(const std::string& directory);

  const LineMatcher& matcher() const;
  const ReferenceMatcher& reference_matcher() const;

  const ClassInfo* cls(std::string_view id) const;  // nullptr when unknown
  const CauseInfo* cause(std::string_view id) const;
  const std::vector<EdgeRule>& edges() const;
  const std::vector<MissingHint>& missing_hints() const;
  const std::vector<EqualRule>& equal_rules() const;

  std::size_t rule_count() const;  // signatures, edges, causes
  std::string hash() const;        // "sha256:..." over everything loaded, canonical order

 private:
  struct Impl;
  explicit Rulebook(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace firstfault
