#include "parser/io/byte_stream.h"

namespace firstfault {

PeekedStream::PeekedStream(ByteStream& rest, std::size_t wanted) : rest_(rest) {
  while (head_.size() < wanted) {
    Result<std::string_view> window = rest_.next();
    if (!window) {
      pending_ = window.error();
      return;
    }
    if (window->empty()) return;
    head_.append(*window);
  }
}

Result<std::string_view> PeekedStream::next() {
  if (!given_) {
    given_ = true;
    if (!head_.empty()) return std::string_view(head_);
  }
  if (!pending_) return std::exchange(pending_, std::string_view());
  return rest_.next();
}

bool PeekedStream::rewind() {
  if (!rest_.rewind()) return false;
  head_.clear();
  pending_ = std::string_view();
  given_ = true;
  return true;
}

}  // namespace firstfault
