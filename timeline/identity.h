// Identity: which rank of which attempt speaks a line, owns a pid, sits on a host and a GPU.
//
// A voice is one speaker of one source. It gets its rank from the first of these that knows it:
//   1. its own word: "[rank3]:"
//   2. NCCL's Init line of the world communicator
//   3. its (host, pid), when another voice or a launcher gave that process a rank
//   4. a voice of the same folder (ranks/3/stdout.log for ranks/3/stderr.log)
//   5. a Flight Recorder's file name, if the dump's groups contain that rank
//   6. a number in the path or a local rank, where the same custom held for other voices of this
//   job
//   7. the same without any confirmation: a guess, and marked so
// An agent (torchrun itself) never is a rank. Contradictions are kept in conflicts(), the stronger
// word counts. The launcher's "localhost" never overrides the host that NCCL prints.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/facts.h"
#include "model/job.h"
#include "timeline/comm_instances.h"
#include "timeline/host_table.h"

namespace firstfault {

struct Voice {
  std::int32_t rank = -1;     // global, -1 unknown
  std::int32_t attempt = -1;  // index into Identity::attempt_numbers, -1 unknown
  bool guess = false;         // rank rests on an unconfirmed hint
  bool agent = false;
  std::string host;  // canonical, "" unknown
  std::int64_t pid = -1;
};

// The process that was one rank in one attempt.
struct Process {
  std::int32_t attempt = 0, rank = -1;
  std::string host;
  std::vector<std::int64_t> pids;  // NCCL's first; a launcher may know a wrapper's
  std::int32_t local_rank = -1;
  std::string pci;
  std::int32_t gpu_index = -1;
};

struct ProcessMatch {
  std::int32_t attempt = -1, rank = -1;
  std::string host, pci;
};

class Identity {
 public:
  explicit Identity(const Facts& facts);

  const Voice& voice(std::uint32_t source, std::uint32_t speaker) const;
  const std::vector<std::int32_t>& attempt_numbers() const { return attempt_numbers_; }  // >= 1
  std::int32_t world_size() const { return world_size_; }               // 0 unknown
  const std::vector<Process>& processes() const { return processes_; }  // by (attempt, rank)
  const Process* process(std::int32_t attempt, std::int32_t rank) const;
  const HostTable& hosts() const { return hosts_; }
  const std::vector<IdentityConflict>& conflicts() const { return conflicts_; }
  const std::vector<CommInstance>& instances() const { return instances_; }

  // The only process that fits what is known of it; absent if none or several fit. attempt -1, host
  // "" and pci "" leave that open; pid -1 asks by host and PCI address alone.
  std::optional<ProcessMatch> find(std::int32_t attempt, std::int64_t pid, std::string_view host,
                                   std::string_view pci) const;
  bool knows_pid(std::int64_t pid) const { return by_pid_.contains(pid); }
  // Processes of the job that are no known rank: single programs, those whose dumps are in the
  // input.
  bool is_loose_pid(std::int64_t pid) const { return loose_pids_.contains(pid); }
  bool has_loose_pids() const { return !loose_pids_.empty(); }
  // The only rank of an attempt on a host, -1 if there are several or none.
  std::int32_t only_rank_on(std::int32_t attempt, std::string_view host) const;
  // Global rank of a local rank (one agent), -1 unknown; *guess is set if the custom is
  // unconfirmed.
  std::int32_t from_local(std::int32_t attempt, std::int32_t local_rank, bool* guess) const;
  // Attempt by offset in a source that holds several attempts; -1 if the source does not tell.
  std::int32_t attempt_at(std::uint32_t source, std::uint64_t offset) const;

 private:
  friend class IdentityBuilder;

  std::vector<std::vector<Voice>> voices_;  // [source][speaker]
  std::vector<std::int32_t> attempt_numbers_;
  std::int32_t world_size_ = 0;
  std::vector<Process> processes_;
  std::map<std::int64_t, std::vector<std::size_t>> by_pid_;  // indices of processes_
  std::set<std::int64_t> loose_pids_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> local_to_global_;
  bool local_custom_confirmed_ = false, local_custom_refuted_ = false;
  std::vector<std::vector<std::pair<std::uint64_t, std::int32_t>>>
      marks_;  // [source] (offset, attempt)
  HostTable hosts_;
  std::vector<IdentityConflict> conflicts_;
  std::vector<CommInstance> instances_;
};

}  // namespace firstfault
