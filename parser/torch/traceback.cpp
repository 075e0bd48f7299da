#include "parser/torch/traceback.h"

#include "base/text.h"

namespace firstfault {

namespace {

constexpr std::size_t kMaxFrames = 64;
constexpr std::uint32_t kMaxLines = 1000;

bool identifier(std::string_view word) {
  if (word.empty() || word.size() > 120) return false;
  for (const char c : word) {
    const bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '_' || c == '.';
    if (!ok) return false;
  }
  return (word[0] >= 'a' && word[0] <= 'z') || (word[0] >= 'A' && word[0] <= 'Z') || word[0] == '_';
}

// "  File "/work/train.py", line 31, in main"
std::optional<StackFrame> frame(std::string_view t) {
  t = trim(t);
  StackFrame f;
  if (!consume(&t, "File \"")) return std::nullopt;
  const auto file = consume_until(&t, "\", line ");
  const auto line = file ? consume_int(&t) : std::nullopt;
  if (!line) return std::nullopt;
  f.file = std::string(*file);
  f.line = static_cast<std::int32_t>(*line);
  if (consume(&t, ", in ")) f.function = std::string(t);
  return f;
}

// The separators between the tracebacks of a chain.
bool chains(std::string_view t) {
  return t.starts_with("During handling of the above exception") ||
         t.starts_with("The above exception was the direct cause");
}

}  // namespace

std::span<const Gate> TracebackLines::gates() const {
  static constexpr Gate kGates[] = {{"Traceback (most recent call last):", Gate::Use::before}};
  return kGates;
}

bool TracebackLines::feed(const LineView& line, FactSink& sink) {
  const std::string_view t = line.text;
  if (t.ends_with("Traceback (most recent call last):")) {
    if (state_ == State::message || state_ == State::ended) close(sink);
    logged_ = previous_was_log_ && !line.excepthook;
    const ExceptionReport cause = std::move(open_);
    open_ = ExceptionReport{};
    open_.cause_type = cause.cause_type;
    open_.cause_message = cause.cause_message;
    open_.printed_by_excepthook = line.excepthook;
    state_ = State::frames;
    lines_ = 0;
    return true;
  }
  if (state_ != State::outside && ++lines_ > kMaxLines) {
    if (state_ == State::frames)
      state_ = State::outside;
    else
      close(sink);
  }
  const bool indented = t.starts_with(" ") || t.starts_with("\t");
  if (state_ == State::frames) {
    if (auto f = frame(t)) {
      if (open_.frames.size() < kMaxFrames) open_.frames.push_back(std::move(*f));
      return true;
    }
    if (indented || trim(t).empty()) return true;
    // The line in column 0: "Type: text" or "Type".
    const std::size_t colon = t.find(": ");
    const std::string_view type =
        t.substr(0, colon == std::string_view::npos && t.ends_with(":") ? t.size() - 1 : colon);
    if (line.layer != Layer::plain || !identifier(type)) {
      state_ = State::outside;
      return false;
    }
    open_.type = std::string(type);
    bool lossy = false;
    if (colon != std::string_view::npos)
      open_.message = to_utf8(t.substr(colon + 2), kQuoteBytes, &lossy);
    state_ = State::message;
    type_text_.assign(line.whole);
    type_line_ = line;
    type_line_.whole = type_text_;
    type_line_.text = {};
    return true;
  }
  if (state_ == State::ended) {
    if (trim(t).empty()) return true;
    if (chains(t)) {
      // The first traceback of a chain is the origin.
      if (open_.cause_type.empty()) {
        open_.cause_type = open_.type;
        open_.cause_message = open_.message;
      }
      state_ = State::outside;
      return true;
    }
    close(sink);
  }
  if (state_ == State::message) {
    if (trim(t).empty()) {
      state_ = State::ended;
      return true;
    }
    const bool ends =
        t.empty() || line.layer != Layer::plain || line.stamp.grade == StampGrade::printed ||
        open_.message.size() > kQuoteBytes / 2 || line.excepthook != open_.printed_by_excepthook;
    if (!ends) {
      bool lossy = false;
      open_.message += '\n' + to_utf8(t, kQuoteBytes - open_.message.size() - 1, &lossy);
      return true;
    }
    close(sink);
  }
  previous_was_log_ = line.stamp.grade == StampGrade::printed && !t.empty();
  return false;
}

void TracebackLines::close(FactSink& sink) {
  state_ = State::outside;
  static constexpr std::string_view kAgents[] = {"ChildFailedError", "SignalException",
                                                 "CalledProcessError"};
  for (const std::string_view agent : kAgents) {
    if (std::string_view(open_.type).ends_with(agent)) return;
  }
  if (logged_) return;
  sink.add_from(type_line_, std::move(open_));
  open_ = ExceptionReport{};
}

void TracebackLines::finish(FactSink& sink) {
  if (state_ == State::message || state_ == State::ended) close(sink);
}

}  // namespace firstfault
