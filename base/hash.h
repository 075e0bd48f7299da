// Stable 64-bit hashing: the same value on every machine and in every version.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace firstfault {

constexpr std::uint64_t hash_combine(std::uint64_t seed, std::uint64_t value) {
  // splitmix64's finalizer over the sum
  std::uint64_t z = seed + 0x9e3779b97f4a7c15ULL + value * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t hash_bytes(std::string_view bytes);  // XXH3

// hash_bytes over pieces: the value does not depend on where they were cut.
class ByteHash {
 public:
  ByteHash();
  ~ByteHash();
  ByteHash(const ByteHash&) = delete;
  ByteHash& operator=(const ByteHash&) = delete;
  void add(std::string_view bytes);
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view bytes);  // 64 lower-case hexadecimal digits

}  // namespace firstfault
