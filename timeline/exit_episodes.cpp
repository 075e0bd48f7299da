// Ends of processes as launchers tell them, and the signals they sent.
//
// What the launcher ended itself is collateral. A signal from nobody known is app.killed, a crash
// app.segfault; SIGABRT behind an abort that the rank's own log explains is its teardown. A bare
// exit code counts only where the rank said nothing else.
#include <algorithm>
#include <string_view>

#include "timeline/episode_maker.h"

namespace firstfault {

namespace {

constexpr std::string_view kCrashes[] = {"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE"};
constexpr std::string_view kKills[] = {"SIGKILL", "SIGTERM", "SIGINT",  "SIGHUP",
                                       "SIGQUIT", "SIGXCPU", "SIGUSR1", "SIGUSR2"};

template <std::size_t N>
bool one_of(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// Words of a rank that explain a non-zero exit.
constexpr std::string_view kExplaining[] = {"app.",  "cuda.", "coll.", "env.",  "net.",
                                            "nccl.", "gpu.",  "host.", "sched."};
constexpr std::string_view kExplainingEchoes[] = {
    "echo.remote_error", "echo.nccl_error", "echo.peer_closed",     "echo.store_wait",
    "echo.store_lost",   "echo.teardown",   "echo.barrier_reached", "echo.watchdog_timeout",
    "echo.sticky_cuda",  "echo.heartbeat",  "echo.aborted"};

}  // namespace

void EpisodeMaker::signals() {
  const auto& sources = scene_.facts.sources;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    for (const RecordItem& item : sources[s].records) {
      const auto* sent = std::get_if<SignalSent>(&item.record);
      if (sent == nullptr) continue;
      Place at{s, &item, scene_.said(s, item)};
      Episode e;
      e.captures.push_back(make_capture("signal", sent->signal));
      if (sent->received) {
        e.cls = "echo.launcher_signalled";
        e.reporter = subject_of(scene_, at.said);
        e.about = e.reporter;
      } else {
        e.cls = "echo.terminated_by_launcher";
        const auto match = scene_.identity.find(-1, sent->pid, "", "");
        if (match) {
          at.said.attempt = match->attempt;
          e.about = subject_of_rank(scene_, match->attempt, match->rank);
        } else {
          e.about.pid = sent->pid;
        }
      }
      add(at, std::move(e));
    }
  }
}

void EpisodeMaker::exits() {
  auto explained = [&](std::int32_t attempt, std::int32_t rank) {
    if (rank < 0) return false;
    for (std::string_view prefix : kExplaining) {
      if (book_.any(attempt, rank, prefix)) return true;
    }
    return std::any_of(
        std::begin(kExplainingEchoes), std::end(kExplainingEchoes),
        [&](std::string_view cls) { return book_.has(attempt, std::string(cls), rank); });
  };
  struct Verdict {
    const ExitSeen* exit;
    Episode episode;
  };
  std::vector<Verdict> verdicts;  // decided on what ranks said, before exits are added
  for (const ExitSeen& exit : ranks_.exits()) {
    if (!failed(*exit.exit)) continue;
    const std::string signal = exit_signal(*exit.exit);
    Episode e;
    e.about = subject_of_rank(scene_, exit.attempt, exit.rank);
    if (exit.rank < 0) e.about.pid = exit.exit->pid;
    if (exit.by_agent) {
      e.cls = "echo.terminated_by_launcher";
    } else if (one_of(kKills, signal)) {
      e.cls = "app.killed";
    } else if (one_of(kCrashes, signal)) {
      e.cls = "app.segfault";
    } else if (signal == "SIGABRT") {
      e.cls = explained(exit.attempt, exit.rank) ? "echo.teardown" : "app.segfault";
    } else if (signal.empty() && !explained(exit.attempt, exit.rank)) {
      e.cls = "app.exit_nonzero";
    } else if (signal.empty()) {
      continue;
    } else {
      e.cls = "app.segfault";
    }
    if (signal.empty()) {
      e.captures.push_back(make_capture("code", std::to_string(*exit.exit->code)));
    } else {
      e.captures.push_back(make_capture("signal", signal));
    }
    e.time = exit.time;
    verdicts.push_back({&exit, std::move(e)});
  }
  for (Verdict& v : verdicts) {
    Place at{v.exit->source, v.exit->item, scene_.said(v.exit->source, *v.exit->item)};
    at.said.attempt = v.exit->attempt;
    add(at, std::move(v.episode));
  }
}

Episodes EpisodeMaker::make() {
  records();
  fingerprints();
  signals();
  exceptions();
  events();
  for (const auto& [attempt, cls, rank, source, quote] : later_) {
    book_.add_place(attempt, cls, rank, source, quote);
  }
  exits();
  Episodes out;
  for (std::size_t a = 0; a < scene_.attempts.count(); ++a) {
    out.of.push_back(book_.take(static_cast<std::int32_t>(a)));
  }
  out.detail_calls = std::move(detail_calls_);
  return out;
}

Episodes make_episodes(const Scene& scene, const Groups& groups, const RankTable& ranks) {
  return EpisodeMaker(scene, groups, ranks).make();
}

}  // namespace firstfault
