// The work of make_episodes, cut by what is turned into episodes. Internal to timeline/.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "timeline/episode_book.h"
#include "timeline/episodes.h"
#include "timeline/nearby.h"
#include "timeline/subjects.h"

namespace firstfault {

class EpisodeMaker {
 public:
  EpisodeMaker(const Scene& scene, const Groups& groups, const RankTable& ranks)
      : scene_(scene), groups_(groups), ranks_(ranks), nearby_(scene), book_(scene) {}

  Episodes make();

 private:
  struct Place {
    std::uint32_t source = 0;
    const RecordItem* item = nullptr;
    Said said;
  };
  struct OnGroup {
    std::string communicator;
    std::int64_t seq = -1;
  };

  // record_episodes.cpp
  void records();
  void work_failure(const Place& at, const WorkFailure& failure);
  void group_status(const Place& at, const GroupStatus& status);
  void barrier_report(const Place& at, const BarrierReport& report);
  void desync_report(const Place& at, const DesyncReport& report);
  void store_wait(const Place& at, const StoreWait& wait);
  void ras_status(const Place& at, const RasStatus& status);
  void stack_snapshot(const Place& at, const StackSnapshot& stack);
  void gpu_exception(const Place& at, const GpuException& exception);
  void process_core(const Place& at, const ProcessCore& core);
  void cuda_error(const Place& at, const CudaError& error);
  void kernel_fault(const Place& at, const GpuKernelFault& fault);
  void oom_kill(const Place& at, const OomKill& kill);
  void on_machine(const Place& at, Episode episode, std::int64_t pid, const std::string& pci);
  RankSet global_ranks(const Place& at, std::int32_t group, const RankSet& group_ranks) const;

  // fingerprint_episodes.cpp
  void fingerprints();

  // exception_episodes.cpp
  void exceptions();
  std::int32_t rank_of_exception(const Place& at) const;

  // event_episodes.cpp
  void events();
  void event(std::uint32_t source, const EventItem& item);
  void event_of_machine(std::uint32_t source, const EventItem& item, const Said& said);
  bool pids_are_shared(std::uint32_t source);

  // exit_episodes.cpp
  void signals();
  void exits();

  // Adds an episode made from a record; an event of the same class on the same line is dropped.
  void add(const Place& at, Episode episode);
  Episode by_rank(const Place& at, const char* cls) const;  // reporter filled in
  void mark_made(std::uint32_t source, const Quote& quote, const std::string& cls);

  const Scene& scene_;
  const Groups& groups_;
  const RankTable& ranks_;
  Nearby nearby_;
  EpisodeBook book_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::string>> made_;  // (source, line, class)
  std::map<const EventItem*, OnGroup> on_group_;  // events inside a watchdog's report
  std::map<std::uint32_t, bool> shares_pids_;     // by source
  // Places to be added once the events are in: (attempt, class, rank) -> place.
  std::vector<std::tuple<std::int32_t, std::string, std::int32_t, std::uint32_t, Quote>> later_;
  std::vector<DetailCall> detail_calls_;
};

// Captures with values cut to the bound of model/event.h.
Capture make_capture(std::string name, std::string value);

}  // namespace firstfault
