// Numbers distinct strings 0, 1, 2 ... in order of first appearance; number 0 is always "".
//
//   Interner names;
//   names.intern("nccl:all_reduce");   // 1
//   names.intern("nccl:all_reduce");   // 1 again
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace firstfault {

class Interner {
 public:
  Interner() : slots_(64, 0) { intern(""); }

  std::uint32_t intern(std::string_view text) {
    if ((strings_.size() + 1) * 2 > slots_.size()) grow();
    const std::size_t at = slot_of(text);
    if (slots_[at] == 0) {
      strings_.emplace_back(text);
      bytes_ += text.size();
      slots_[at] = static_cast<std::uint32_t>(strings_.size());
    }
    return slots_[at] - 1;
  }

  const std::string& operator[](std::uint32_t index) const { return strings_[index]; }
  std::size_t size() const { return strings_.size(); }
  std::uint64_t bytes() const { return bytes_; }  // of all distinct strings
  std::vector<std::string> take() { return std::move(strings_); }

 private:
  std::size_t slot_of(std::string_view text) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash_bytes(text) & mask;
    while (slots_[at] != 0 && strings_[slots_[at] - 1] != text) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::size_t i = 0; i < strings_.size(); ++i) {
      slots_[slot_of(strings_[i])] = static_cast<std::uint32_t>(i + 1);
    }
  }

  std::vector<std::string> strings_;
  std::vector<std::uint32_t> slots_;  // string number + 1; 0 = free; size is a power of two
  std::uint64_t bytes_ = 0;
};

}  // namespace firstfault
