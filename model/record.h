// Records: the closed set of typed facts that format parsers yield. A record carries what one place
// in one file says, never a cause and never a resolved rank. What code branches on is a Record;
// what only the catalogue looks at is an Event (model/event.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/rank_set.h"
#include "model/operation.h"

namespace firstfault {

// NCCL: "... comm 0x.. rank 2 nranks 4 cudaDev 0 nvmlDev 0 busId 60 commId 0x.. - Init
// START|COMPLETE"
struct CommInit {
  std::uint64_t comm = 0;  // pointer; reused after destroy
  std::int32_t rank = -1;  // communicator rank
  std::int32_t nranks = 0;
  std::int32_t cuda_device = -1;
  std::string pci;                         // "0000:00:06.0", decoded from busId
  std::optional<std::uint64_t> comm_hash;  // commId; absent for children since 2.23
  std::optional<std::uint64_t> parent;     // comm pointer of the parent (split, shrink)
  std::int32_t split_count = -1, color = -1, key = -1;
  bool complete = false;
};

// NCCL: "comm 0x.. rank 0 nranks 4 ... - Abort START | Abort COMPLETE | Destroy COMPLETE"
struct CommEnd {
  enum class How : std::uint8_t { abort_start, abort, destroy };
  std::uint64_t comm = 0;
  std::int32_t rank = -1;
  std::int32_t nranks = 0;
  How how = How::destroy;
};

// A setting in force in one process: "NCCL_PROTO set by environment to Simple".
struct Setting {
  std::string name, value;
};

// A version stated by one process or host: component nccl, torch, cuda, cuda_driver, driver,
// python.
struct Version {
  std::string component, value;
};

// "NET/Socket : Using [0]eth0:10.77.0.3<0>", "Bootstrap: Using eth0:10.0.0.5<0>": an address of the
// speaker's host.
struct NetInterface {
  std::string interface, address;
};

// Last orderly words of a process ("ENV/Plugin: Closing env plugin", interpreter shut down after
// destroy): the process ended by itself, which says nothing about success.
struct OrderlyExit {
  std::string what;
};

// c10d: WorkNCCL(...) timed out, failed or is described.
struct WorkFailure {
  enum class How : std::uint8_t { timeout, exception, blocking_wait };
  How how = How::timeout;
  std::int32_t group_rank = -1;  // the "[Rank N]" of the line: rank within its group
  std::int64_t seq = -1;
  OpKind kind = OpKind::unknown;
  std::string op_type;                         // as printed: "_ALLGATHER_BASE"
  std::int64_t numel_in = -1, numel_out = -1;  // -1 unknown
  std::int64_t timeout_ms = -1;
  std::int64_t ran_ms = -1;  // since enqueue on the host
  std::string reason;        // exception: text behind "async exception: ", first line
};

// c10d: state of one process group as its watchdog sees it.
struct GroupStatus {
  enum class Why : std::uint8_t { failure_detected, dump_signal_local, dump_signal_remote };
  Why why = Why::failure_detected;
  std::int64_t pg_id = -1;  // process-local
  std::string pg_name;      // PG GUID, "" when the line has none
  std::string pg_desc;
  std::int32_t group_rank = -1;
  std::int64_t failed_seq = -1;
  std::int64_t last_enqueued = -2, last_started = -2, last_completed = -2;  // -1 none, -2 not told
  std::int32_t signalled_by = -1;  // dump_signal_remote: global rank of the first detector
};

// DETAIL mode: "Detected mismatch between collectives on ranks. Rank 1 is running collective: ..."
struct FingerprintMismatch {
  struct Side {
    std::int32_t group_rank = -1;
    std::int64_t seq = -1;
    OpKind kind = OpKind::unknown;
    std::string op_type, shape, dtype, device;
  };
  Side reporter, other;
};

// gloo: "[Rank 0]: Ranks 1, 2 failed to pass monitoredBarrier in 5000 ms", "Rank 2 successfully
// reached monitoredBarrier, but received errors ... from rank 0".
struct BarrierReport {
  std::int32_t reporter = -1;  // group rank
  RankSet missing;             // group ranks; empty for the "successfully reached" form
  std::int64_t timeout_ms = -1;
};

// TORCH_NCCL_DESYNC_DEBUG report of one rank (group ranks).
struct DesyncReport {
  struct State {
    std::int64_t seq = -1;
    RankSet ranks;
    OpKind kind = OpKind::unknown;
    std::string op_type;
    bool finished = false;
  };
  std::int32_t group_rank = -1;
  std::int64_t seq = -1;
  OpKind kind = OpKind::unknown;
  RankSet never_joined;  // "They never joined any collectives"
  std::vector<State> states;
};

// A rank waits for a key of the store that another must publish:
// "[1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] ... keys:
// /default_pg/0//2//cuda//0"
struct StoreWait {
  std::int32_t waiter = -1, publisher = -1;  // group ranks, -1 not told
  std::string key;
  std::string pg_name;  // taken from the key when it has the form <prefix>//<name>//<device>//<n>
  std::int64_t timeout_ms = -1;
};

struct StackFrame {
  std::string function, file;
  std::int32_t line = 0;
};

// An uncaught Python exception (traceback in a log, error.json, ChildFailedError block).
struct ExceptionReport {
  std::string type;                       // "torch.distributed.DistBackendError"
  std::string message;                    // first kQuoteBytes bytes, lines joined by '\n'
  std::vector<StackFrame> frames;         // outermost first, of the last traceback of a chain
  std::string cause_type, cause_message;  // first traceback of a chain, if there are several
  bool printed_by_excepthook = false;     // every line carried "[rankN]: "
};

// faulthandler, py-spy: where a process stood. Not a failure by itself.
struct StackSnapshot {
  std::string trigger;  // "Timeout (0:00:20)!", "Fatal Python error: Segmentation fault", ""
  std::vector<StackFrame> frames;  // of the main or current thread, innermost first
  std::int64_t pid = -1;           // py-spy: the process it looked at
};

// How a process ended, as a launcher or scheduler tells it.
struct ProcessExit {
  std::int64_t pid = -1;
  std::int32_t global_rank = -1, local_rank = -1;
  std::optional<std::int32_t> code;  // exit code; absent when killed by a signal
  std::string signal;                // "SIGKILL"
  std::string host;                  // as the launcher names it; may be "localhost"
  bool named_first = false;          // the launcher calls it the first failure
  bool by_agent = false;             // reported as ended by the launcher's own SIGTERM/SIGKILL
  std::string reported_by;           // "torchelastic", "slurm", "mpirun", ...
};

// A launcher or scheduler sends a signal to a process, or says that it got one.
struct SignalSent {
  std::int64_t pid = -1;  // receiver; -1 = the speaker itself received it
  std::string signal;
  bool received = false;  // "Received 15 death signal", "got signal: 15"
};

// Where a rank lives, stated by a launcher (ChildFailedError block, rendezvous result).
struct RankPlacement {
  std::int32_t global_rank = -1, local_rank = -1;
  std::int64_t pid = -1;
  std::string host;
};

// NVRM: Xid (PCI:0000:17:00): 79, pid=1234, name=python, GPU has fallen off the bus.
struct GpuKernelFault {
  enum class Kind : std::uint8_t { xid, sxid };
  Kind kind = Kind::xid;
  std::int32_t number = 0;
  std::string pci;  // "0000:17:00.0"
  std::int64_t pid = -1;
  std::string process;
  std::string text;  // behind the number
};

// The kernel (or a cgroup) killed a process for memory.
struct OomKill {
  std::int64_t pid = -1;
  std::string process;
  std::string constraint;  // "memcg", "global", "cpuset", "" unknown
  std::string cgroup;
};

// Kernel: process crashed ("python3[886]: segfault at 0 ip ... error 4 in libc.so.6").
struct UserCrash {
  std::int64_t pid = -1;
  std::string process, kind, where;  // kind: "segfault", "trap", "general protection fault"
};

// A kernel log starts here: boot second 0, or a boot line.
struct BootMark {};

// NCCL RAS status, text or JSON.
struct RasStatus {
  struct Odd {
    std::int32_t rank = -1;  // communicator rank
    std::string what;        // "launched up to operation 3", "status NOCOMM", "not responding"
    std::int64_t launched = -1;
    std::int64_t pid = -1;
    std::string node;
  };
  std::uint64_t comm_hash = 0;
  std::string status;  // MISMATCH, INCOMPLETE, RUNNING
  std::string op;      // "AllReduce" when operation counts differ
  std::int64_t majority_launched = -1;
  std::vector<Odd> odd;
};

// A training loop says how far it is ("iteration 3/100", "step 2").
struct Progress {
  std::int64_t step = -1;
};

// The text or binary report of a memory checker or GPU debugger.
struct GpuException {
  std::string exception;      // "Warp Illegal Address", "Invalid __global__ read of size 4 bytes"
  std::string kernel;         // demangled, "" unknown
  std::string source;         // "bad.cu:4", "" unknown
  std::string block, thread;  // "(1,0,0)"
  std::int64_t pid = -1;
  std::int32_t device = -1, sm = -1;
  std::uint64_t pc = 0;
  std::int32_t code = -1;  // CUDBGException_t; 0 a trap without one, -1 not told
  std::string function;    // the device function at `pc` when it is not the kernel, demangled
  std::string pci;         // "0000:00:06.0", "" unknown
  std::int32_t warp = -1, lane = -1;
};

// CUDA runtime or driver error as printed by a program or the CUDA error log.
struct CudaError {
  std::int32_t code = -1;  // cudaError_t, -1 when only text is known
  std::string name, text, api;
};

// The core dump of a process: how it died.
struct ProcessCore {
  std::int64_t pid = -1;
  std::string process, command;          // as the kernel cuts them: 15 and 79 bytes
  std::string signal;                    // "SIGSEGV", "" when the dump was taken on demand
  std::optional<std::uint64_t> address;  // of the faulting access
  std::string where;                     // "libnccl.so.2+0x3d1234": file and offset in it
  std::vector<std::string> libraries;    // mapped CUDA, NCCL, PyTorch and network libraries
};

// "Trees [0] 1/-1/-1->0->-1 [1] ...": the speaker's own rank in a communicator that the line does
// not name. All that tells ranks where Init lines are missing.
struct TreePlace {
  std::int32_t rank = -1;
};

using Record = std::variant<CommInit, CommEnd, Setting, Version, NetInterface, OrderlyExit,
                            WorkFailure, GroupStatus, FingerprintMismatch, BarrierReport,
                            DesyncReport, StoreWait, ExceptionReport, StackSnapshot, ProcessExit,
                            SignalSent, RankPlacement, GpuKernelFault, OomKill, UserCrash, BootMark,
                            RasStatus, Progress, GpuException, CudaError, ProcessCore, TreePlace>;

}  // namespace firstfault
