#include "parser/io/gunzip_tail.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>

namespace firstfault {

namespace {

constexpr unsigned kMaxBits = 15;  // longest code of RFC 1951

// Bits of the input, least significant first. Past the end it yields zeros and counts them as
// missing.
class BitReader {
 public:
  explicit BitReader(ByteStream& in) : in_(in) {}

  std::uint32_t peek(unsigned count) {
    fill(count);
    return static_cast<std::uint32_t>(bits_ & ((1ull << count) - 1));
  }
  // False when fewer bits were left.
  bool drop(unsigned count) {
    fill(count);
    if (have_ < count) return false;
    bits_ >>= count;
    have_ -= count;
    return true;
  }
  bool take(unsigned count, std::uint32_t* value) {
    *value = peek(count);
    return drop(count);
  }
  void to_byte() { drop(have_ % 8); }

 private:
  void fill(unsigned count) {
    while (have_ < count) {
      if (window_.empty()) {
        if (ended_) return;
        Result<std::string_view> more = in_.next();
        if (!more || more->empty()) {
          ended_ = true;
          return;
        }
        window_ = *more;
      }
      bits_ |= static_cast<std::uint64_t>(static_cast<unsigned char>(window_[0])) << have_;
      have_ += 8;
      window_.remove_prefix(1);
    }
  }

  ByteStream& in_;
  std::string_view window_;
  std::uint64_t bits_ = 0;
  unsigned have_ = 0;
  bool ended_ = false;
};

// A canonical Huffman code: one table over the next 9 bits, longer codes bit by bit. A block may be
// 25 bytes long, so a code must be cheap to build.
class Code {
 public:
  // False when the lengths are over-subscribed.
  bool build(std::span<const std::uint8_t> lengths) {
    std::array<std::uint32_t, kMaxBits + 2> first{}, place{};
    count_.fill(0);
    for (const std::uint8_t l : lengths) ++count_[l];
    count_[0] = 0;
    for (unsigned l = 1; l <= kMaxBits; ++l) {
      first[l + 1] = (first[l] + count_[l]) << 1;
      place[l + 1] = place[l] + count_[l];
      if (first[l] + count_[l] > (1u << l)) return false;
    }
    table_.fill({});
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      const unsigned length = lengths[symbol];
      if (length == 0) continue;
      symbols_[place[length]++] = static_cast<std::uint16_t>(symbol);
      std::uint32_t code = first[length]++, reversed = 0;
      if (length > kTableBits) continue;
      for (unsigned i = 0; i < length; ++i, code >>= 1) reversed = reversed << 1 | (code & 1);
      for (std::uint32_t at = reversed; at < table_.size(); at += 1u << length)
        table_[at] = {static_cast<std::uint16_t>(symbol), static_cast<std::uint8_t>(length)};
    }
    return true;
  }
  bool decode(BitReader& in, std::uint32_t* symbol) const {
    std::uint32_t bits = in.peek(kMaxBits);
    const Entry e = table_[bits & (table_.size() - 1)];
    *symbol = e.symbol;
    if (e.length != 0) return in.drop(e.length);
    std::uint32_t code = 0, first = 0, place = 0;
    for (unsigned l = 1; l <= kMaxBits; ++l, bits >>= 1) {
      code |= bits & 1;
      if (code - first < count_[l]) {
        *symbol = symbols_[place + code - first];
        return in.drop(l);
      }
      place += count_[l];
      first = (first + count_[l]) << 1;
      code <<= 1;
    }
    return false;  // no such code
  }

 private:
  static constexpr unsigned kTableBits = 9;
  struct Entry {
    std::uint16_t symbol = 0;
    std::uint8_t length = 0;  // 0: a longer code, or none
  };
  std::array<Entry, 1u << kTableBits> table_{};
  std::array<std::uint32_t, kMaxBits + 1> count_{};
  std::array<std::uint16_t, 320> symbols_{};
};

// The last 32 KiB, and the part of the output that is asked for.
class Output {
 public:
  Output(std::uint64_t skip, std::size_t limit) : skip_(skip), limit_(limit) {}
  void put(char byte) {
    ring_[total_ % ring_.size()] = byte;
    if (total_++ >= skip_) kept_.push_back(byte);
  }
  // False when the copy reaches back before the first byte.
  bool copy(std::uint32_t distance, std::uint32_t length) {
    if (distance > total_) return false;
    for (; length > 0; --length) put(ring_[(total_ - distance) % ring_.size()]);
    return true;
  }
  bool full() const { return kept_.size() >= limit_; }
  std::string take() {
    kept_.resize(std::min(kept_.size(), limit_));
    return std::move(kept_);
  }

 private:
  std::array<char, 32768> ring_{};
  std::uint64_t total_ = 0, skip_;
  std::size_t limit_;
  std::string kept_;
};

class Gunzip {
 public:
  Gunzip(ByteStream& in, std::uint64_t skip, std::size_t limit) : in_(in), out_(skip, limit) {}
  std::string run() {
    while (header() && blocks() && trailer()) {
    }
    return out_.take();
  }

 private:
  bool bytes(unsigned count) {
    std::uint32_t ignored;
    for (; count > 0; --count) {
      if (!in_.take(8, &ignored)) return false;
    }
    return true;
  }
  bool zero_terminated() {
    std::uint32_t c = 1;
    while (c != 0) {
      if (!in_.take(8, &c)) return false;
    }
    return true;
  }
  bool header() {
    std::uint32_t magic, method, flags, extra;
    if (!in_.take(16, &magic) || magic != 0x8b1f || !in_.take(8, &method) || method != 8 ||
        !in_.take(8, &flags) || !bytes(6))
      return false;
    if ((flags & 4) != 0 && (!in_.take(16, &extra) || !bytes(extra))) return false;
    if ((flags & 8) != 0 && !zero_terminated()) return false;   // name
    if ((flags & 16) != 0 && !zero_terminated()) return false;  // comment
    return (flags & 2) == 0 || bytes(2);
  }
  bool trailer() {
    in_.to_byte();
    return bytes(8);
  }
  bool blocks() {
    for (std::uint32_t last = 0, type = 0; last == 0;) {
      if (!in_.take(1, &last) || !in_.take(2, &type)) return false;
      const bool good = type == 0   ? stored()
                        : type == 1 ? fixed_codes() && compressed()
                        : type == 2 ? dynamic_codes() && compressed()
                                    : false;
      if (!good) return false;
    }
    return true;
  }
  bool stored() {
    in_.to_byte();
    std::uint32_t length, complement, byte;
    if (!in_.take(16, &length) || !in_.take(16, &complement) || (length ^ complement) != 0xffff)
      return false;
    for (; length > 0; --length) {
      if (out_.full() || !in_.take(8, &byte)) return false;
      out_.put(static_cast<char>(byte));
    }
    return true;
  }
  bool fixed_codes() {
    std::array<std::uint8_t, 288> lengths{};
    for (std::size_t i = 0; i < lengths.size(); ++i)
      lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    std::array<std::uint8_t, 30> distances{};
    distances.fill(5);
    return literals_.build(lengths) && distances_.build(distances);
  }
  bool dynamic_codes() {
    static constexpr std::uint8_t kOrder[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                              11, 4,  12, 3, 13, 2, 14, 1, 15};
    std::uint32_t literals, distances, codes;
    if (!in_.take(5, &literals) || !in_.take(5, &distances) || !in_.take(4, &codes)) return false;
    literals += 257;
    distances += 1;
    codes += 4;
    std::array<std::uint8_t, 320> lengths{};
    for (std::uint32_t i = 0; i < codes; ++i) {
      std::uint32_t l;
      if (!in_.take(3, &l)) return false;
      lengths[kOrder[i]] = static_cast<std::uint8_t>(l);
    }
    if (!literals_.build(std::span(lengths).first(19))) return false;
    lengths.fill(0);
    for (std::uint32_t at = 0; at < literals + distances;) {
      std::uint32_t symbol, repeat = 1;
      if (!literals_.decode(in_, &symbol)) return false;
      std::uint8_t value = static_cast<std::uint8_t>(symbol);
      if (symbol == 16) {
        if (at == 0 || !in_.take(2, &repeat)) return false;
        value = lengths[at - 1];
        repeat += 3;
      } else if (symbol > 16) {
        if (!in_.take(symbol == 17 ? 3 : 7, &repeat)) return false;
        value = 0;
        repeat += symbol == 17 ? 3 : 11;
      }
      if (at + repeat > literals + distances) return false;
      std::fill_n(lengths.begin() + at, repeat, value);
      at += repeat;
    }
    return literals_.build(std::span(lengths).first(literals)) &&
           distances_.build(std::span(lengths).subspan(literals, distances));
  }
  bool compressed() {
    static constexpr std::uint16_t kLength[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                67, 83, 99, 115, 131, 163, 195, 227, 258};
    static constexpr std::uint8_t kLengthBits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                   2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static constexpr std::uint16_t kDistance[] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    for (;;) {
      std::uint32_t symbol;
      if (out_.full() || !literals_.decode(in_, &symbol)) return false;
      if (symbol < 256) {
        out_.put(static_cast<char>(symbol));
        continue;
      }
      if (symbol == 256) return true;
      symbol -= 257;
      std::uint32_t extra, length, distance;
      if (symbol >= std::size(kLength) || !in_.take(kLengthBits[symbol], &extra)) return false;
      length = kLength[symbol] + extra;
      if (!distances_.decode(in_, &symbol) || symbol >= std::size(kDistance) ||
          !in_.take(symbol < 2 ? 0 : symbol / 2 - 1, &extra))
        return false;
      distance = kDistance[symbol] + extra;
      if (!out_.copy(distance, length)) return false;
    }
  }

  BitReader in_;
  Output out_;
  Code literals_, distances_;
};

}  // namespace

std::string gunzip_tail(ByteStream& compressed, std::uint64_t skip, std::size_t limit) {
  // On the heap: its tables are larger than a thread's stack should bear.
  return std::make_unique<Gunzip>(compressed, skip, limit)->run();
}

}  // namespace firstfault
