#include "parser/lines/line_cutter.h"

#include <algorithm>

namespace firstfault {

void LineCutter::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    std::string_view line = bytes.substr(0, newline);
    for (std::size_t r = line.find('\r'); r != std::string_view::npos; r = line.find('\r')) {
      part(line.substr(0, r), '\r');
      line.remove_prefix(r + 1);
    }
    if (newline == std::string_view::npos) {
      keep(line);
      return;
    }
    part(line, '\n');
    bytes.remove_prefix(newline + 1);
  }
}

void LineCutter::keep(std::string_view bytes) {
  if (bytes.empty()) return;
  open_ = true;
  const std::size_t room = kLongest + 1 - kept_.size();  // one more than is used: shows the cut
  kept_.append(bytes.substr(0, room));
  dropped_ += bytes.size() - std::min(room, bytes.size());
}

void LineCutter::part(std::string_view bytes, char end) {
  const bool whole = kept_.empty();
  if (!whole) keep(bytes);
  std::string_view text = whole ? bytes : std::string_view(kept_);
  const std::uint64_t size = text.size() + dropped_;
  if (text.size() > kLongest) {
    text = text.substr(0, kLongest);
    ++cuts_;
  }
  // An empty part in front of a '\r', or behind one, is no line of its own.
  if (!text.empty() || (end == '\n' && !inside_)) {
    use_({text, offset_, number_ + 1, inside_});
    inside_ = true;
  }
  offset_ += size + 1;
  kept_.clear();
  dropped_ = 0;
  open_ = true;
  if (end == '\n') {
    ++number_;
    inside_ = open_ = false;
  }
}

bool LineCutter::finish() {
  if (!open_) return false;
  if (!kept_.empty()) part({}, '\r');
  ++number_;
  open_ = inside_ = false;
  return true;
}

}  // namespace firstfault
