// Rank table: what is known of every rank of an attempt, and how it ended.
//
// A good end needs positive evidence (orderly last words, communicators destroyed, exit code 0) and
// no failure. What the launcher ended itself is no failure of that rank.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/scene.h"

namespace firstfault {

// The signal that ended a process, "" if none: 137 is SIGKILL.
std::string exit_signal(const ProcessExit& exit);
bool failed(const ProcessExit& exit);  // non-zero code or a signal

// A process exit with its rank and place.
struct ExitSeen {
  const ProcessExit* exit = nullptr;
  std::uint32_t source = 0;
  const RecordItem* item = nullptr;
  std::int32_t attempt = 0, rank = -1;
  Interval time;
  bool by_agent = false;  // the agent had sent that signal before, or says so
};

struct RankNotes {
  RankInfo info;
  bool destroyed = false;    // its communicators were destroyed
  bool exited_zero = false;  // a launcher reports code 0
  bool failed_exit = false;  // a launcher reports a failure that is not its own doing
  bool troubled = false;     // exception, time-out, failure report or dump signal of its own
  std::optional<std::int64_t> last_step;

  bool ended_well() const {
    return (info.orderly_exit || destroyed || exited_zero) && !failed_exit && !troubled;
  }
};

class RankTable {
 public:
  explicit RankTable(const Scene& scene);

  std::map<std::int32_t, RankNotes>& of(std::int32_t attempt) { return notes_[attempt]; }
  const std::map<std::int32_t, RankNotes>& of(std::int32_t attempt) const {
    return notes_[attempt];
  }
  const RankNotes* find(std::int32_t attempt, std::int32_t rank) const;
  const std::vector<ExitSeen>& exits() const { return exits_; }
  // Did a launcher send this signal to the process itself?
  bool sent_by_agent(std::int64_t pid, std::string_view signal) const;

 private:
  void collect_signals();
  void collect_exits();
  void collect_words();

  const Scene& scene_;
  std::vector<std::map<std::int32_t, RankNotes>> notes_;  // [attempt] by rank
  std::vector<ExitSeen> exits_;
  std::set<std::pair<std::int64_t, std::string>> signalled_;
};

}  // namespace firstfault
