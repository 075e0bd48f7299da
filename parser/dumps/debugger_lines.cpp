#include "parser/dumps/debugger_lines.h"

#include <algorithm>

#include "base/text.h"
#include "parser/dumps/gpu_exceptions.h"

namespace firstfault {

namespace {

constexpr int kMostLines = 24;  // of one report
constexpr std::size_t kNameBytes = 512;
constexpr std::uint32_t kAssert = 12;

std::string utf8(std::string_view text) { return to_utf8(trim(text), kNameBytes, nullptr); }

std::int32_t code_of(std::string_view name) {
  const auto* row = std::find(std::begin(kGpuExceptions) + 1, std::end(kGpuExceptions), name);
  return row == std::end(kGpuExceptions) ? -1 : static_cast<std::int32_t>(row - kGpuExceptions);
}

// ", sm 126" -> 126; -1 when the word is not there.
std::int32_t number_behind(std::string_view text, std::string_view word) {
  if (!consume_until(&text, word)) return -1;
  const auto n = consume_int(&text);
  return n && *n <= INT32_MAX ? static_cast<std::int32_t>(*n) : -1;
}

// "block (1,0,0)" -> "(1,0,0)"
std::string triple_behind(std::string_view text, std::string_view word) {
  if (!consume_until(&text, word)) return {};
  const std::size_t end = text.find(')');
  return text.starts_with('(') && end < 40 ? utf8(text.substr(0, end + 1)) : std::string();
}

std::uint64_t address(std::string_view text) {
  text = trim(text);
  return parse_hex(text.substr(0, text.find_first_of(" \t,."))).value_or(0);
}

}  // namespace

struct DebuggerLines::Form {
  std::string_view words;
  bool begins;    // opens a report
  bool anywhere;  // not only at the line's start
  void (DebuggerLines::*read)(std::string_view rest);
};

const DebuggerLines::Form DebuggerLines::kForms[] = {
    {"Opening GPU coredump: ", true, false, &DebuggerLines::opening},
    {"[Current focus set to CUDA kernel ", true, false, &DebuggerLines::focus},
    {"[Switching focus to CUDA kernel ", false, false, &DebuggerLines::focus},
    {"CUDA Exception: ", true, false, &DebuggerLines::exception},
    {"The exception was triggered at PC ", false, false, &DebuggerLines::triggered},
    {"#0 ", false, false, &DebuggerLines::frame},
    {" received signal CUDA_EXCEPTION_", true, true, &DebuggerLines::signal},
    {"Assertion failed.", false, false, &DebuggerLines::assertion},
    {"Program terminated with signal SIGTRAP", false, false, &DebuggerLines::trap},
    {"coredump: Detected an exception of type ", true, true, &DebuggerLines::detected},
    {"coredump:   - Device: ", false, true, &DebuggerLines::device},
    {"coredump:   - SM: ", false, true, &DebuggerLines::sm},
    {"coredump:   - PC ", false, true, &DebuggerLines::pc},
};

std::span<const Gate> DebuggerLines::gates() const {
  static constexpr Gate kGates[] = {{"Opening GPU coredump: "},
                                    {"[Current focus set to CUDA kernel "},
                                    {"CUDA Exception: "},
                                    {"received signal CUDA_EXCEPTION_"},
                                    {"coredump: Detected an exception"}};
  return kGates;
}

void DebuggerLines::begin(const LineView& line) {
  report_.emplace();
  signalled_ = false;
  lines_left_ = kMostLines;
  place(line);
}

void DebuggerLines::place(const LineView& line) {
  first_text_.assign(line.whole);
  first_ = line;
  first_.whole = first_text_;
  first_.text = {};
}

bool DebuggerLines::feed(const LineView& line, FactSink& sink) {
  const std::string_view text = trim(line.text);
  for (const Form& form : kForms) {
    if (!report_ && !form.begins) continue;
    const std::size_t at = form.anywhere ? line.text.find(form.words) : 0;
    std::string_view rest = form.anywhere ? line.text : text;
    if (at == std::string_view::npos) continue;
    rest.remove_prefix(at);
    if (!consume(&rest, form.words)) continue;
    if (form.begins) {
      // A focus stands in front of its exception or behind it, a signal behind.
      const bool more = report_ && form.read == &DebuggerLines::signal && !signalled_;
      if (report_ && !report_->exception.empty() && !more) finish(sink);
      if (!report_) begin(line);
    }
    const bool named = !report_->exception.empty();
    (this->*form.read)(rest);
    if (!named && !report_->exception.empty()) place(line);
    if (--lines_left_ <= 0) finish(sink);
    return true;
  }
  if (report_ && --lines_left_ <= 0) finish(sink);
  return false;
}

void DebuggerLines::finish(FactSink& sink) {
  if (!report_) return;
  GpuException done = *std::move(report_);
  report_.reset();
  if (done.exception.empty()) return;
  if (done.function == done.kernel) done.function.clear();
  // "oob_kernel" of a frame and "oob_kernel(float*, long)" are one.
  if (done.kernel.empty() || done.function.starts_with(done.kernel + "(")) {
    if (!done.function.empty()) done.kernel = std::move(done.function);
    done.function.clear();
  }
  sink.add_from(first_, std::move(done));
}

void DebuggerLines::opening(std::string_view) {}

void DebuggerLines::focus(std::string_view rest) {
  report_->block = triple_behind(rest, "block ");
  report_->thread = triple_behind(rest, "thread ");
  report_->device = number_behind(rest, "device ");
  report_->sm = number_behind(rest, ", sm ");
  report_->warp = number_behind(rest, ", warp ");
  report_->lane = number_behind(rest, ", lane ");
}

void DebuggerLines::exception(std::string_view rest) {
  report_->exception = utf8(rest);
  report_->code = code_of(report_->exception);
}

// "0x7f98877a0df0  deep(float*, long) [clone oob_kernel(float*, long)]  (c.cu:4)"
void DebuggerLines::triggered(std::string_view rest) {
  report_->pc = address(rest);
  if (!consume_until(&rest, " ")) return;
  rest = trim(rest);
  const std::size_t source = rest.rfind("  (");
  if (source != std::string_view::npos && rest.ends_with(')')) {
    report_->source = utf8(rest.substr(source + 3, rest.size() - source - 4));
    rest = rest.substr(0, source);
  }
  const std::size_t clone = rest.find(" [clone ");
  if (clone != std::string_view::npos && rest.ends_with(']'))
    report_->kernel = utf8(rest.substr(clone + 8, rest.size() - clone - 9));
  report_->function = utf8(rest.substr(0, clone));
}

// "0x00007f98877a0240 in oob_kernel<<<(2,1,1),(64,1,1)>>> (p=0x7f00) at c.cu:5"
void DebuggerLines::frame(std::string_view rest) {
  rest = trim(rest);
  if (report_->pc == 0) report_->pc = address(rest);
  if (rest.starts_with("0x") && !consume_until(&rest, " in ")) return;
  const std::size_t name = rest.find("<<<");
  if (name == std::string_view::npos) return;
  if (report_->kernel.empty()) report_->kernel = utf8(rest.substr(0, name));
  const std::size_t at = rest.rfind(" at ");
  if (report_->source.empty() && at != std::string_view::npos)
    report_->source = utf8(base_name(trim(rest.substr(at + 4))));
}

// "14, Warp Illegal Address."
void DebuggerLines::signal(std::string_view rest) {
  const auto code = consume_int(&rest);
  if (!code || *code > 0xFFFF) return;
  signalled_ = true;
  report_->code = static_cast<std::int32_t>(*code);
  if (consume(&rest, ", ")) report_->exception = utf8(rest.substr(0, rest.find('.')));
  if (report_->exception.empty())
    report_->exception = gpu_exception_name(static_cast<std::uint32_t>(*code));
}

void DebuggerLines::assertion(std::string_view) {
  report_->code = kAssert;
  report_->exception = gpu_exception_name(kAssert);
}

void DebuggerLines::trap(std::string_view) {
  if (report_->sm < 0 || !report_->exception.empty()) return;  // of the host, or told already
  report_->code = kGpuTrap;
  report_->exception = std::string(kGpuTrapName);
}

// "CUDBG_EXCEPTION_WARP_ILLEGAL_ADDRESS (14)"
void DebuggerLines::detected(std::string_view rest) {
  report_->exception = utf8(rest.substr(0, rest.find(' ')));
  if (!consume_until(&rest, "(")) return;
  const auto code = consume_int(&rest);
  if (!code || *code > 0xFFFF) return;
  report_->code = static_cast<std::int32_t>(*code);
  report_->exception = gpu_exception_name(static_cast<std::uint32_t>(*code));
}

void DebuggerLines::device(std::string_view rest) { report_->device = number_behind(rest, ""); }
void DebuggerLines::sm(std::string_view rest) { report_->sm = number_behind(rest, ""); }
void DebuggerLines::pc(std::string_view rest) { report_->pc = address(rest); }

}  // namespace firstfault
