#include "parser/scan/region_cutter.h"

#include <algorithm>

namespace firstfault {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kHistory = Region::kContext + 1;  // and the end of the part in front of it

// How many bytes from `from` on are whole parts of at most kLongest bytes.
std::size_t whole_parts(std::string_view bytes, std::size_t from) {
  std::size_t to = from;
  while (to < bytes.size()) {
    const std::size_t end = last_end(bytes, to, std::min(bytes.size(), to + Region::kLongest + 1));
    if (end == kNone) break;
    to = end + 1;
  }
  return to - from;
}

}  // namespace

void RegionCutter::add(std::string_view in) {
  if (!in.empty()) last_ = in.back();
  std::size_t behind = 0;  // bytes of this window that were given out
  while (!in.empty()) {
    const std::size_t end = next_end(in, 0);
    if (dropping_) {
      dropped_ += std::min(end, in.size());
      if (end == kNone) return;
      overlong(in[end]);
      in.remove_prefix(end + 1);
      behind = 0;
      continue;
    }
    if (carry_.size() + std::min(end, in.size()) > Region::kLongest) {
      const std::size_t room = Region::kLongest - carry_.size();
      carry_.append(in.substr(0, room));
      in.remove_prefix(room);
      dropping_ = true;
      continue;
    }
    if (end == kNone) {
      carry_.append(in);
      return;
    }
    if (offset_ != 0 || !carry_.empty()) {
      if (behind < kHistory || !carry_.empty()) {
        const std::size_t size =
            end + 1 + whole_parts(in.substr(0, end + 1 + 2 * kHistory), end + 1);
        joint(in.substr(0, size));
        in.remove_prefix(size);
        behind += size;
        continue;
      }
    }
    const std::size_t context = std::min(behind, kHistory);
    const std::size_t size = whole_parts(in, 0);
    Region region;
    region.bytes = std::string_view(in.data() - context, context + size);
    region.begin = context;
    region.offset = offset_ - context;
    use_(region);
    history_.assign(
        region.bytes.substr(region.bytes.size() - std::min(region.bytes.size(), kHistory)));
    offset_ += size;
    behind += size;
    in.remove_prefix(size);
  }
}

void RegionCutter::joint(std::string_view bytes) {
  seam_.assign(history_);
  seam_ += carry_;
  seam_ += bytes;
  Region region;
  region.bytes = seam_;
  region.begin = history_.size();
  region.offset = offset_ - history_.size();
  use_(region);
  offset_ += carry_.size() + bytes.size();
  carry_.clear();
  history_.assign(seam_, seam_.size() - std::min(seam_.size(), kHistory));
}

void RegionCutter::overlong(char end) {
  seam_.assign(history_);
  seam_ += carry_;
  if (end != '\0') seam_ += end;
  Region region;
  region.bytes = seam_;
  region.begin = history_.size();
  region.offset = offset_ - history_.size();
  region.cut = true;
  use_(region);
  ++cuts_;
  offset_ += carry_.size() + dropped_ + 1;
  history_.assign(1, end);
  carry_.clear();
  dropped_ = 0;
  dropping_ = false;
}

void RegionCutter::finish() {
  if (dropping_) return overlong('\0');
  if (!carry_.empty()) joint({});
}

}  // namespace firstfault
