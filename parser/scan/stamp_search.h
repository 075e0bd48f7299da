// Whether the lines around an item without a time are worth a look for one.
//
// Looking costs up to kReach lines on both sides of an item; where logs print no times, or only on
// other lines, that is given up after a few fruitless searches in a row and taken up again after a
// quiet stretch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace firstfault {

class StampSearch {
 public:
  static constexpr int kReach = 32;
  static constexpr int kGlance = 2;  // behind a dense fact

  // A line that interests someone, `quiet_bytes` behind the last line that was looked at.
  void arrive(std::uint64_t quiet_bytes) {
    if (quiet_bytes > kQuietBytes) misses_ = 0;
  }
  bool hopeful() const { return misses_ < kPatience; }
  void found() {
    misses_ = 0;
    left_ = 0;
  }
  void missed() { ++misses_; }
  // The lines that follow are wanted.
  void look_ahead(int lines) {
    if (hopeful() && left_ < lines) left_ = lines;
  }
  bool wants_next() const { return left_ > 0; }
  void pass() {
    if (left_ > 0 && --left_ == 0) ++misses_;
  }

 private:
  static constexpr std::uint64_t kQuietBytes = 8192;
  static constexpr int kPatience = 4;
  int misses_ = 0;
  int left_ = 0;
};

}  // namespace firstfault
