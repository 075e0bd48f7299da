#include "parser/torch/debugger_lines.h"

#include <algorithm>

#include "base/text.h"

namespace firstfault {

namespace {

constexpr std::uint32_t kMaxLines = 16;  // of one exception

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

std::span<const Gate> DebuggerLines::gates() const {
  static constexpr Gate kGates[] = {{"coredump: Detected an exception"},
                                    {"CUDA Exception: "},
                                    {"[CUDA][E]"},
                                    {"ProcessExitedException: process "}};
  return kGates;
}

void DebuggerLines::begin(const LineView& line, std::string_view name, FactSink& sink) {
  finish(sink);
  exception_.emplace();
  exception_->exception = std::string(trim(name));
  lines_ = 0;
  first_text_.assign(line.whole);
  first_ = line;
  first_.whole = first_text_;
  first_.text = {};
}

bool DebuggerLines::feed(const LineView& line, FactSink& sink) {
  const std::string_view t = line.text;
  if (const auto name = behind(t, "coredump: Detected an exception of type "); !name.empty()) {
    begin(line, name.substr(0, name.find(' ')), sink);
    return true;
  }
  if (t.starts_with("CUDA Exception: ")) {
    begin(line, behind(t, "CUDA Exception: "), sink);
    return true;
  }
  if (exception_) {
    if (++lines_ > kMaxLines) {
      finish(sink);
    } else if (std::string_view in = behind(t, "- Device: "); !in.empty()) {
      exception_->device = static_cast<std::int32_t>(consume_int(&in).value_or(-1));
      return true;
    } else if (in = behind(t, "- SM: "); !in.empty()) {
      exception_->sm = static_cast<std::int32_t>(consume_int(&in).value_or(-1));
      return true;
    } else if (in = behind(t, "- PC "); !in.empty()) {
      exception_->pc = parse_hex(in.substr(0, in.find(' '))).value_or(0);
      finish(sink);
      return true;
    } else if (in = behind(t, "The exception was triggered at PC "); !in.empty()) {
      exception_->pc = parse_hex(in.substr(0, in.find(' '))).value_or(0);
      in = trim(in.substr(std::min(in.size(), in.find(' '))));
      if (const std::size_t place = in.rfind(" ("); place != std::string_view::npos) {
        exception_->kernel = std::string(trim(in.substr(0, place)));
        exception_->source = std::string(in.substr(place + 2, in.size() - place - 3));
      }
      finish(sink);
      return true;
    }
  }
  return log_line(t, sink) || spawn_line(t, sink);
}

void DebuggerLines::finish(FactSink& sink) {
  if (!exception_) return;
  sink.add_from(first_, std::move(*exception_));
  exception_.reset();
}

}  // namespace firstfault
