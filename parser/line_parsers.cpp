#include "parser/line_parsers.h"

#include "parser/dumps/debugger_lines.h"
#include "parser/kernel/kernel_lines.h"
#include "parser/nccl/nccl_lines.h"
#include "parser/sched/torchelastic.h"
#include "parser/torch/c10d_lines.h"
#include "parser/torch/desync_lines.h"
#include "parser/torch/misc_lines.h"
#include "parser/torch/process_lines.h"
#include "parser/torch/stack_lines.h"
#include "parser/torch/traceback.h"

namespace firstfault {

std::vector<std::unique_ptr<LineParser>> make_line_parsers() {
  std::vector<std::unique_ptr<LineParser>> out;
  out.push_back(std::make_unique<NcclLines>());
  out.push_back(std::make_unique<C10dLines>());
  out.push_back(std::make_unique<TracebackLines>());
  out.push_back(std::make_unique<TorchelasticLines>());
  out.push_back(std::make_unique<KernelLines>());
  out.push_back(std::make_unique<DesyncLines>());
  out.push_back(std::make_unique<StackLines>());
  out.push_back(std::make_unique<DebuggerLines>());
  out.push_back(std::make_unique<ProcessLines>());
  out.push_back(std::make_unique<ProgramLines>());
  return out;
}

}  // namespace firstfault
