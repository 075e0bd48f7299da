// Job: Facts joined into one picture (made by timeline/, read by diagnosis/ and report/). Here
// ranks are resolved, times lie on one axis, restarts are apart, duplicates are one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/rank_set.h"
#include "model/event.h"
#include "model/facts.h"
#include "model/quote.h"
#include "model/record.h"

namespace firstfault {

// A source as reports show it.
struct JobSource {
  std::string file;  // relative to the inputs' common root
  SourceInfo info;
  std::string host;  // "" unknown
  Interval span;     // job time of its stamped lines
};

struct Host {
  std::string name;                  // the best name: as NCCL's prefix prints it, else launcher's
  std::vector<std::string> aliases;  // addresses, other names; sorted
};

struct RankInfo {
  std::int32_t rank = -1;  // global
  std::string host;        // "" unknown
  std::int64_t pid = -1;
  std::int32_t local_rank = -1;
  std::string pci;                      // "0000:00:06.0"
  std::int32_t gpu_index = -1;          // CUDA ordinal in the process
  std::vector<ProcessExit> exits;       // what launchers say, best first
  std::vector<Evidence> exit_evidence;  // parallel to exits
  Interval exit_time;
  bool orderly_exit = false;  // its own log shows an orderly end
  bool has_log = false;       // some source is spoken by this rank
  Interval last_seen;         // its last own line or record
  std::optional<StackSnapshot> last_stack;
};

// One operation as one rank issued it. The comparable part is the signature.
struct OpSignature {
  OpKind kind = OpKind::unknown;
  std::string raw;          // as printed: "nccl:_all_gather_base", "AllGather", "_ALLGATHER_BASE"
  std::int64_t count = -1;  // elements (of the input for Flight Recorder); -1 unknown
  std::int64_t out_count = -1;
  std::string shape;       // "[[1048576]]" when told
  std::string dtype;       // "float32", "" unknown
  std::string reduction;   // "sum", "" unknown or not comparable
  std::int32_t root = -1;  // communicator rank; peer for send/recv; -1 unknown or meaningless
};

enum class OpSource : std::uint8_t { coll_line, flight_recorder, watchdog, detail, desync, ras };

// How well it is known that an operation completed.
enum class Grade : std::uint8_t {
  nothing,   // no word, or a `completed` that the abort wrote
  reported,  // pg_status, watchdog
  proven,    // retired before the cut, or a later operation of the same stream was completed
};

struct Cell {
  bool known = false;  // some source says whether the rank issued this slot
  bool issued = false;
  Interval issued_at;  // job time
  bool completed = false;
  Interval completed_at;
  Grade grade = Grade::nothing;
  bool after_cut = false;  // issued only after the communicator's cut: shown, not counted
  OpSignature signature;
  OpSource source = OpSource::coll_line;
  std::int64_t seq = -1;   // c10d / Flight Recorder number when told
  std::string user_frame;  // "train.py:31 in step", "" unknown
  std::vector<Evidence> evidence;
};

struct Slot {
  std::int64_t seq = -1;               // number shown to people, see Communicator::seq_kind
  std::map<std::int32_t, Cell> cells;  // by global rank; members without an entry are unknown
};

enum class SeqKind : std::uint8_t { c10d, fr, own_index };

// What one member is known to have done on a communicator, beyond the kept slots.
struct MemberProgress {
  std::int64_t last_enqueued = -1;  // in the communicator's seq numbering; -1 nothing known
  std::int64_t last_completed = -1;
  bool enqueued_known = false, completed_known = false;
  bool complete_view = false;  // a dump or a COLL log shows all it issued up to the cut
  bool left = false;           // passed to destroy, barrier at the end, or ended orderly
  std::vector<Evidence> evidence;
};

struct Communicator {
  std::string id;       // "c0", in canonical order
  std::string pg_name;  // PG GUID, "" unknown
  std::string pg_desc;  // "default_pg"
  std::optional<std::uint64_t> hash;
  std::int32_t size = 0;
  RankSet members;  // global ranks; may be incomplete: members.size() < size
  SeqKind seq_kind = SeqKind::own_index;
  std::vector<Slot> slots;  // ascending seq; the window around the frontier that is known
  std::map<std::int32_t, MemberProgress> progress;  // by global rank
  // Earliest time-out, abort, dump signal or death on this communicator; unknown() if none.
  Interval cut;
  std::string cut_by;      // "watchdog_timeout", "abort", "dump_signal", "death", ""
  bool timed_out = false;  // some member's watchdog gave up on it
  RankSet waiting;         // members that reported a time-out or failure on it
  // First own index of the earliest block of operations that are no longer kept one by one and
  // whose hash differs between members; -1 none. A hint: uneven all-to-all changes it legally.
  std::int64_t unseen_difference = -1;
};

// Whom an episode concerns. Every field may be unknown.
struct Subject {
  RankSet ranks;
  std::string host;
  std::string pci;
  std::int64_t pid = -1;
  std::string peer;  // an address that could not be resolved

  friend bool operator==(const Subject&, const Subject&) = default;
  friend auto operator<=>(const Subject&, const Subject&) = default;
};

// A folded, de-duplicated event with subjects resolved. Records that a cause may rest on
// (exceptions, exits, Xids, OOM kills, watchdog reports) are turned into episodes as well, with a
// class of the registry, so that the graph has one kind of node.
struct Episode {
  std::string cls;
  std::string signature;  // rule id; "" when made from a record
  Subject reporter;
  Subject about;  // whom it accuses or concerns; equals reporter for direct evidence
  std::vector<Capture> captures;
  Interval time;  // job time of the first occurrence
  Interval last_time;
  std::uint64_t count = 1;
  std::vector<Evidence> evidence;  // at most 4, canonical order
  bool joined_by_guess = false;    // subject rests on a path hint or the only candidate
  bool in_window = true;           // false: outside the attempt, context only
  std::string communicator;        // id, "" none
  std::int64_t seq = -1;

  const std::string& capture(std::string_view name) const {
    static const std::string kNone;
    for (const Capture& c : captures) {
      if (c.name == name) return c.value;
    }
    return kNone;
  }
};

struct IdentityConflict {
  std::string what;  // "rank 3 is pid 874 by torchelastic, pid 875 by NCCL"
};

struct Coverage {
  std::string host;  // "" = the job
  std::string
      source;     // "kernel", "rank_log", "launcher", "flight_recorder", "nccl_debug", "scheduler"
  RankSet ranks;  // for per-rank sources: which ranks are covered
  Interval span;
  bool present = false;
};

// One start of the job: until a restart, or everything.
struct Attempt {
  std::int32_t number = 0;
  Interval window;
  std::int32_t world_size = 0;  // 0 unknown
  std::vector<RankInfo> ranks;  // ascending rank
  std::vector<Communicator> communicators;
  std::vector<Episode> episodes;  // canonical order: (time, class, subject, place)
  std::vector<Coverage> coverage;
  // Values that processes stated, by rank: settings["NCCL_PROTO"]["LL"] = {0,1,3}
  std::map<std::string, std::map<std::string, RankSet>> settings;
  std::map<std::string, std::map<std::string, RankSet>> versions;  // by component
  std::map<std::string, std::map<std::string, std::vector<Evidence>>> setting_evidence;
  std::map<std::int32_t, std::int64_t> last_step;  // by rank
  bool ended_well = false;                         // positive evidence of a good end on every rank
  RankSet ended_well_ranks;
  bool launcher_ended_it =
      false;  // the launcher was signalled from outside and stopped its workers

  const RankInfo* rank(std::int32_t r) const;
  const Communicator* communicator(std::string_view id) const;
};

struct ClockInfo {
  std::string id;  // "k0"
  std::string host;
  std::string kind;  // wall, utc, boot
  double offset_s = 0;
  double half_width_s = -1;  // < 0 unknown
  std::string from;          // what gave the bound
};

struct Job {
  std::vector<JobSource> sources;  // in order of file
  std::vector<Skipped> skipped;
  std::vector<Host> hosts;
  std::vector<Attempt> attempts;  // at least one, ascending number
  std::vector<ClockInfo> clocks;
  std::vector<IdentityConflict> conflicts;
  std::string backend;       // "nccl", "gloo", "" unknown
  bool year_known = false;   // false: times print without a year
  bool zone_is_utc = false;  // job time is UTC
};

}  // namespace firstfault
