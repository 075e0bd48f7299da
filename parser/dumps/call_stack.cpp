#include "parser/dumps/call_stack.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "model/quote.h"

namespace firstfault {

namespace {

constexpr std::string_view kStart = "Traceback (most recent call last):";
constexpr std::size_t kNameBytes = 512;
constexpr std::size_t kMaxChain = 64;

bool is_dotted_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

std::string message_of(std::string_view text) {
  std::string out;
  while (!text.empty() && out.size() < kQuoteBytes) {
    const std::size_t stop = text.find('\n');
    if (!out.empty()) out += '\n';
    out += to_utf8(text.substr(0, stop), kQuoteBytes - out.size(), nullptr);
    text.remove_prefix(stop == std::string_view::npos ? text.size() : stop + 1);
  }
  return out;
}

// `  File "train.py", line 31, in step`
std::optional<StackFrame> frame_of(std::string_view line) {
  if (!consume(&line, "  File \"")) return std::nullopt;
  const std::optional<std::string_view> file = consume_until(&line, "\", line ");
  if (!file) return std::nullopt;
  const std::optional<std::int64_t> number = consume_int(&line);
  if (!number) return std::nullopt;
  StackFrame frame;
  frame.file = to_utf8(*file, kNameBytes, nullptr);
  frame.line = *number <= INT32_MAX ? static_cast<std::int32_t>(*number) : 0;
  if (consume(&line, ", in ")) frame.function = to_utf8(trim(line), kNameBytes, nullptr);
  return frame;
}

}  // namespace

ExceptionLine split_exception(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t colon = text.find(": ");
  const std::string_view type = colon == std::string_view::npos ? text : text.substr(0, colon);
  ExceptionLine out;
  if (type.size() <= kNameBytes && is_dotted_name(type)) {
    out.type = type;
    if (colon != std::string_view::npos)
      text.remove_prefix(colon + 2);
    else
      text = {};
  } else if (const std::string_view bare = trim(text);
             bare.ends_with(':') && is_dotted_name(bare.substr(0, bare.size() - 1))) {
    out.type = bare.substr(0, bare.size() - 1);  // "SystemExit: " with nothing behind
    text = {};
  }
  out.message = message_of(text);
  return out;
}

CallStack read_call_stack(std::string_view text) {
  CallStack out;
  bool inside = false;           // between kStart and the exception's own line
  std::size_t exception_at = 0;  // where the current exception's text began
  bool in_exception = false;
  const std::string_view all = text;
  const auto finish = [&](std::size_t end) {
    if (!in_exception) return;
    if (out.chain.size() < kMaxChain) {
      out.chain.push_back(split_exception(all.substr(exception_at, end - exception_at)));
    } else {
      out.chain.back() = split_exception(all.substr(exception_at, end - exception_at));
    }
    in_exception = false;
  };
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t stop = std::min(all.find('\n', at), all.size());
    const std::string_view line = all.substr(at, stop - at);
    if (line == kStart) {
      finish(at);
      inside = true;
      out.frames.clear();
    } else if (line.starts_with("The above exception was the direct cause") ||
               line.starts_with("During handling of the above exception")) {
      finish(at);
    } else if (inside && !line.empty() && line.front() != ' ') {
      inside = false;
      in_exception = true;
      exception_at = at;
    } else if (inside) {
      if (std::optional<StackFrame> frame = frame_of(line)) out.frames.push_back(std::move(*frame));
      if (out.frames.size() > 2 * kCallStackFrames) {
        out.frames.erase(out.frames.begin(), out.frames.end() - kCallStackFrames);
      }
    }
    at = stop + 1;
  }
  finish(all.size());
  if (out.frames.size() > kCallStackFrames) {
    out.frames.erase(out.frames.begin(), out.frames.end() - kCallStackFrames);
  }
  return out;
}

}  // namespace firstfault
