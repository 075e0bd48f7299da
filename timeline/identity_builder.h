// How voices get their ranks; the order of proofs is that of identity.h. Internal to timeline/.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "timeline/identity.h"

namespace firstfault {

class IdentityBuilder {
 public:
  IdentityBuilder(const Facts& facts, Identity& out) : facts_(facts), out_(out) {}
  void build();

 private:
  using ProcessKey = std::pair<std::string, std::int64_t>;  // host, pid

  struct Hints {
    Speaker speaker;     // host canonical, path hints of the source filled in
    std::string folder;  // key of voices that are one process by their place, "" none
  };
  // A launcher's word about a rank.
  struct Placement {
    std::int32_t rank = -1, local_rank = -1;
    std::int64_t pid = -1;
    std::string host;  // canonical, "" unknown
    std::string by;
  };

  // identity_builder.cpp: what is there
  void collect_voices();
  void collect_placements();
  void collect_components();
  void measure_world();
  void find_attempts();
  void attempts_by_components();

  // identity_resolve.cpp: what follows
  std::set<std::uint64_t> world_comms() const;
  void assign(Voice& v, std::int32_t rank, bool* changed);
  bool resolve_pass();
  std::int32_t placed(std::int64_t pid, const std::string& host) const;
  void learn_customs();
  void learn_local(std::int32_t attempt, std::int32_t local, std::int32_t rank);
  void resolve_by_custom();
  void resolve_by_trees();
  std::int32_t named_ranks() const;
  void make_processes();

  void conflict(std::string what);
  Voice& voice(std::size_t s, std::size_t i) { return out_.voices_[s][i]; }
  template <typename F>
  void each_voice(F f) {
    for (std::size_t s = 0; s < hints_.size(); ++s) {
      for (std::size_t i = 0; i < hints_[s].size(); ++i) f(s, i, hints_[s][i], out_.voices_[s][i]);
    }
  }

  const Facts& facts_;
  Identity& out_;
  std::vector<std::vector<Hints>> hints_;
  std::vector<Placement> placements_;
  std::set<std::string> conflicts_;
  std::set<std::string> hosts_with_ranks_;
  std::map<std::int64_t, std::set<std::string>> hosts_of_pid_;
  std::vector<std::size_t> instance_process_;  // instance -> process
  std::vector<std::size_t> component_;         // process -> component
  std::int32_t largest_component_ = 0;
  bool path_agrees_ = false, path_disagrees_ = false;
  bool task_agrees_ = false, task_disagrees_ = false;
};

// Ranks beyond are garbage, not a job.
inline constexpr std::int32_t kLargestWorld = 1 << 20;
inline bool is_sane_rank(std::int32_t rank) { return rank >= 0 && rank < kLargestWorld; }

}  // namespace firstfault
