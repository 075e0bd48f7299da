#include "parser/torch/process_lines.h"

#include <algorithm>

#include "base/text.h"

namespace firstfault {

namespace {

// Errors that stay: other codes of the log come from harmless probes as well.
constexpr std::int32_t kSticky[] = {214, 220, 700, 702, 710, 714, 715, 716, 717, 718, 719};

std::string_view behind(std::string_view t, std::string_view label) {
  const std::size_t at = t.find(label);
  return at == std::string_view::npos ? std::string_view{} : t.substr(at + label.size());
}

// "[14:33:46.852][1402][CUDA][E] Returning 700 (CUDA_ERROR_ILLEGAL_ADDRESS) from cuCtxSynchronize"
bool log_line(std::string_view t, FactSink& sink) {
  if (t.find("[CUDA][E]") == std::string_view::npos) return false;
  std::string_view in = behind(t, " Returning ");
  const auto code = consume_int(&in);
  if (!code || !consume(&in, " (")) return false;
  CudaError e;
  e.code = static_cast<std::int32_t>(*code);
  if (std::find(std::begin(kSticky), std::end(kSticky), e.code) == std::end(kSticky)) return false;
  const auto name = consume_until(&in, ") from ");
  if (!name) return false;
  e.name = std::string(*name);
  e.api = std::string(trim(in));
  sink.add(std::move(e));
  return true;
}

// "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with signal SIGKILL"
bool spawn_line(std::string_view t, FactSink& sink) {
  std::string_view in = behind(t, "ProcessExitedException: process ");
  const auto index = consume_int(&in);
  if (!index) return false;
  ProcessExit exit;
  exit.local_rank = static_cast<std::int32_t>(*index);
  exit.named_first = true;
  exit.reported_by = "torch.multiprocessing";
  if (consume(&in, " terminated with signal ")) {
    exit.signal = std::string(in.substr(0, in.find(' ')));
  } else if (consume(&in, " terminated with exit code ")) {
    const auto code = consume_int(&in);
    if (!code) return false;
    exit.code = static_cast<std::int32_t>(*code);
  } else {
    return false;
  }
  sink.add(std::move(exit));
  return true;
}

}  // namespace

std::span<const Gate> ProcessLines::gates() const {
  static constexpr Gate kGates[] = {{"[CUDA][E]"}, {"ProcessExitedException: process "}};
  return kGates;
}

bool ProcessLines::feed(const LineView& line, FactSink& sink) {
  return log_line(line.text, sink) || spawn_line(line.text, sink);
}

}  // namespace firstfault
