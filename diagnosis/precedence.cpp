#include "diagnosis/precedence.h"

namespace firstfault {

namespace {

struct Row {
  std::string_view prefix;
  int place;
};

// The first row whose prefix fits counts.
constexpr Row kRows[] = {
    {"kernel.xid_bus", 10},
    {"kernel.pcie", 5},
    {"kernel.xid_memory", 10},
    {"kernel.sxid", 9},
    {"kernel.xid_nvlink", 11},
    {"kernel.machine_check", 5},
    {"kernel.xid_gsp", 12},
    {"kernel.oom_kill", 13},
    {"kernel.reboot", 6},
    {"kernel.storage", 14},
    {"kernel.nic", 15},
    {"kernel.xid_other", 16},
    {"gpu.exception_", 18},
    {"cuda.device_assert", 20},
    {"cuda.memory_ecc", 20},
    {"cuda.nvlink", 20},
    {"cuda.illegal", 21},
    {"cuda.launch_failure", 22},
    {"cuda.out_of_memory", 22},
    {"kernel.xid_application", 24},
    {"env.duplicate_gpu", 17},
    {"env.", 25},
    {"net.", 27},
    {"gpu.thermal", 28},
    {"host.", 26},
    {"cuda.library", 30},
    {"cuda.unknown", 32},
    {"cuda.", 23},
    {"sched.oom", 19},
    {"app.data_loader", 33},
    {"app.usage", 34},
    {"app.nan", 34},
    {"kernel.user_crash", 35},
    {"app.segfault", 36},
    {"coll.", 37},
    {"settings.minority", 38},
    {"app.exception", 40},
    {"app.killed", 42},
    {"ledger.silent", 45},
    {"ledger.signature", 45},
    {"ledger.left_loop", 46},
    {"ledger.stuck_on_gpu", 46},
    {"ledger.wait_cycle", 46},
    {"ledger.issued_late", 47},
    {"ledger.not_issued", 48},
    {"ledger.", 50},
    {"sched.", 55},
    {"versions.minority", 58},
    {"nccl.", 57},
    {"app.exit_nonzero", 60},
};
constexpr int kLast = 90;

}  // namespace

int precedence(std::string_view cls) {
  for (const Row& row : kRows) {
    if (cls.starts_with(row.prefix)) return row.place;
  }
  return kLast;
}

}  // namespace firstfault
