#include "parser/torch/stack_lines.h"

#include "base/text.h"

namespace firstfault {

namespace {

constexpr std::size_t kMaxFrames = 64;
constexpr std::uint32_t kMaxLines = 4096;

// `File "/work/train.py", line 17 in main`
std::optional<StackFrame> faulthandler_frame(std::string_view t) {
  StackFrame f;
  if (!consume(&t, "File \"")) return std::nullopt;
  const auto file = consume_until(&t, "\", line ");
  const auto line = file ? consume_int(&t) : std::nullopt;
  if (!line) return std::nullopt;
  f.file = std::string(*file);
  f.line = static_cast<std::int32_t>(*line);
  if (consume(&t, " in ")) f.function = std::string(t);
  return f;
}

// "wait (torch/cuda/streams.py:12)", "cudaStreamSynchronize (libcudart.so)"
std::optional<StackFrame> py_spy_frame(std::string_view t) {
  const std::size_t open = t.rfind(" (");
  if (open == std::string_view::npos || open == 0 || !t.ends_with(")")) return std::nullopt;
  StackFrame f;
  f.function = std::string(t.substr(0, open));
  std::string_view place = t.substr(open + 2, t.size() - open - 3);
  if (const std::size_t colon = place.rfind(':'); colon != std::string_view::npos) {
    if (const auto line = parse_int<std::int32_t>(place.substr(colon + 1))) {
      f.line = *line;
      place = place.substr(0, colon);
    }
  }
  f.file = std::string(place);
  return f;
}

bool trigger(std::string_view t) {
  return t.starts_with("Fatal Python error: ") || (t.starts_with("Timeout (") && t.ends_with(")!"));
}

// "Process 4242: python train.py"
std::optional<std::int64_t> py_spy_head(std::string_view t) {
  if (!consume(&t, "Process ")) return std::nullopt;
  const auto pid = consume_int(&t);
  if (!pid || !consume(&t, ": ")) return std::nullopt;
  return pid;
}

bool between_threads(std::string_view t) {
  static constexpr std::string_view kStarts[] = {
      "Python v", "Parent Process ", "<truncated rest of calls>", "Binary file \"", "Arguments:",
      "Locals:",  "Host: "};
  if (t.empty()) return true;
  for (const std::string_view start : kStarts) {
    if (t.starts_with(start)) return true;
  }
  return false;
}

}  // namespace

std::span<const Gate> StackLines::gates() const {
  static constexpr Gate kGates[] = {
      {"Fatal Python error: "}, {"Timeout ("}, {"Process "}, {"(most recent call first):"}};
  return kGates;
}

void StackLines::begin(const LineView& line, FactSink& sink) {
  finish(sink);
  snapshot_.emplace();
  chosen_ = collecting_ = false;
  lines_ = 0;
  first_text_.assign(line.whole);
  first_ = line;
  first_.whole = first_text_;
  first_.text = {};
}

// Decides whether the frames that follow are wanted.
bool StackLines::thread_line(std::string_view t) {
  const bool faulthandler = t.ends_with("(most recent call first):");
  const bool current = t.starts_with("Current thread ");
  if (current && t.find("C stack trace") != std::string_view::npos) {
    collecting_ = false;
    return true;
  }
  if (t.starts_with("Current thread's C stack")) {
    collecting_ = false;
    return true;
  }
  if (faulthandler && (current || t.starts_with("Thread "))) {
    collecting_ = !chosen_;
    chosen_ = chosen_ || current;
  } else if (t.starts_with("Thread ") && t.find(" (") != std::string_view::npos &&
             (t.find("): ") != std::string_view::npos || t.ends_with(")"))) {
    const bool main = t.ends_with("\"MainThread\"");
    collecting_ = !chosen_ && (main || snapshot_->frames.empty());
    chosen_ = chosen_ || main;
  } else {
    return false;
  }
  if (collecting_) snapshot_->frames.clear();
  return true;
}

bool StackLines::feed(const LineView& line, FactSink& sink) {
  const std::string_view t = trim(line.text);
  const auto pid = py_spy_head(t);
  if (line.layer == Layer::plain && (trigger(t) || pid)) {
    begin(line, sink);
    if (pid) {
      snapshot_->pid = *pid;
    } else {
      snapshot_->trigger = std::string(t);
    }
    return true;
  }
  if (!snapshot_) {
    if (line.layer != Layer::plain || !t.ends_with("(most recent call first):")) return false;
    if (!t.starts_with("Current thread 0x") && !t.starts_with("Thread 0x")) return false;
    begin(line, sink);
  }
  if (++lines_ > kMaxLines || line.layer != Layer::plain) {
    finish(sink);
    return false;
  }
  if (thread_line(t) || between_threads(t)) return true;
  std::optional<StackFrame> frame = faulthandler_frame(t);
  if (!frame && line.text.starts_with("    ")) {
    frame = py_spy_frame(t);
    if (!frame) return true;  // a local variable
  }
  if (!frame) {
    finish(sink);
    return false;
  }
  if (collecting_ && snapshot_->frames.size() < kMaxFrames)
    snapshot_->frames.push_back(std::move(*frame));
  return true;
}

void StackLines::finish(FactSink& sink) {
  if (!snapshot_) return;
  // "Process 7: done" heads no stack.
  if (!snapshot_->trigger.empty() || !snapshot_->frames.empty())
    sink.add_from(first_, std::move(*snapshot_));
  snapshot_.reset();
}

}  // namespace firstfault
