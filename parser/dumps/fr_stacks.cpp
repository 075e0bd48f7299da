#include "parser/dumps/fr_stacks.h"

#include <cstring>

#include "base/text.h"

namespace firstfault {

std::uint32_t FrStacks::frame_number(const Value& dict) {
  auto [at, fresh] = frame_numbers_.try_emplace(dict.container(), 0);
  if (!fresh) return at->second;
  FrFrame frame;
  Children pairs = doc_.children(dict);
  while (const Value* key = pairs.next()) {
    const Value* value = pairs.next();
    const std::string_view name = doc_.text(*key);
    if (name == "name") frame.function = to_utf8(doc_.text(*value), kFrameText, nullptr);
    if (name == "filename") frame.file = to_utf8(doc_.text(*value), kFrameText, nullptr);
    if (name == "line") {
      const std::int64_t line = doc_.number(*value).value_or(0);
      frame.line = line > 0 && line <= INT32_MAX ? static_cast<std::int32_t>(line) : 0;
    }
  }
  const std::string content =
      frame.function + '\n' + frame.file + '\n' + std::to_string(frame.line);
  at->second = frame_keys_.intern(content) - 1;  // number 0 of an Interner is ""
  if (at->second == frames_.size()) {
    bytes_ += 2 * content.size() + sizeof(FrFrame);
    frames_.push_back(std::move(frame));
  }
  return at->second;
}

std::uint32_t FrStacks::number(const Value& frames) {
  if (!frames.is(ValueKind::list) || !doc_.closed(frames)) return 0;
  key_.clear();
  Children list = doc_.children(frames);
  for (std::size_t i = 0; i < kFrames; ++i) {
    const Value* frame = list.next();
    if (frame == nullptr) break;
    if (!frame->is(ValueKind::dict)) continue;
    const std::uint32_t n = frame_number(*frame);
    key_.append(reinterpret_cast<const char*>(&n), sizeof n);
  }
  const std::uint32_t stack = stack_keys_.intern(key_);
  if (stack < stacks_.size()) return stack;
  std::vector<FrFrame> out;
  out.reserve(key_.size() / sizeof(std::uint32_t));
  for (std::size_t i = 0; i < key_.size(); i += sizeof(std::uint32_t)) {
    std::uint32_t n = 0;
    std::memcpy(&n, key_.data() + i, sizeof n);
    out.push_back(frames_[n]);
    bytes_ += sizeof(FrFrame) + frames_[n].function.size() + frames_[n].file.size();
  }
  if (too_large()) return 0;
  stacks_.push_back(std::move(out));
  return stack;
}

}  // namespace firstfault
