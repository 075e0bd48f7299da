// Bytes that can be had at any place: for formats whose tables stand behind data that nobody wants
// to read (a core dump of 100 GB with a few KB of notes).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace firstfault {

class RandomBytes {
 public:
  virtual ~RandomBytes() = default;
  virtual std::uint64_t size() const = 0;
  // Copies up to `n` bytes; returns how many there were. A read error counts as the end.
  virtual std::size_t read_at(std::uint64_t offset, char* to, std::size_t n) const = 0;
};

// Bytes in memory; the view must outlive it.
class MemoryBytes : public RandomBytes {
 public:
  explicit MemoryBytes(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t n) const override {
    if (offset >= bytes_.size()) return 0;
    n = std::min<std::size_t>(n, bytes_.size() - offset);
    std::memcpy(to, bytes_.data() + offset, n);
    return n;
  }

 private:
  std::string_view bytes_;
};

// A file inside other bytes; its offsets count from its own start.
class PartOfBytes : public RandomBytes {
 public:
  // The part that lies within `whole`.
  PartOfBytes(const RandomBytes& whole, std::uint64_t offset, std::uint64_t size)
      : whole_(whole),
        offset_(std::min(offset, whole.size())),
        size_(std::min(size, whole.size() - offset_)) {}
  std::uint64_t size() const override { return size_; }
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t n) const override {
    if (offset >= size_) return 0;
    return whole_.read_at(offset_ + offset, to, std::min<std::uint64_t>(n, size_ - offset));
  }

 private:
  const RandomBytes& whole_;
  std::uint64_t offset_, size_;
};

}  // namespace firstfault
