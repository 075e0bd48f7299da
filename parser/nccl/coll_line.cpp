#include "parser/nccl/coll_line.h"

#include <array>
#include <cstring>

#include "base/text.h"

namespace firstfault {

namespace {

constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> kHexDigit = [] {
  std::array<std::uint8_t, 256> table{};
  for (auto& entry : table) entry = kNoDigit;
  for (int i = 0; i < 10; ++i)
    table[static_cast<std::size_t>('0' + i)] = static_cast<std::uint8_t>(i);
  for (int i = 0; i < 6; ++i) {
    table[static_cast<std::size_t>('a' + i)] = static_cast<std::uint8_t>(10 + i);
    table[static_cast<std::size_t>('A' + i)] = static_cast<std::uint8_t>(10 + i);
  }
  return table;
}();

class Scanner {
 public:
  explicit Scanner(std::string_view text) : p_(text.data()), end_(p_ + text.size()) {}

  template <std::size_t N>
  bool word(const char (&literal)[N]) {
    constexpr std::size_t kSize = N - 1;
    if (static_cast<std::size_t>(end_ - p_) < kSize || std::memcmp(p_, literal, kSize) != 0)
      return false;
    p_ += kSize;
    return true;
  }
  bool hex(std::uint64_t* out) {
    const char* const begin = p_;
    std::uint64_t value = 0;
    for (; p_ < end_; ++p_) {
      const std::uint8_t digit = kHexDigit[static_cast<unsigned char>(*p_)];
      if (digit == kNoDigit) break;
      value = value << 4 | digit;
    }
    *out = value;
    return p_ > begin && p_ - begin <= 16;
  }
  bool pointer(std::uint64_t* out) {
    if (word("(nil)")) {
      *out = 0;
      return true;
    }
    return word("0x") && hex(out);
  }
  template <typename Int>
  bool decimal(Int* out) {
    const bool negative = p_ < end_ && *p_ == '-';
    if (negative) ++p_;
    const char* const begin = p_;
    std::uint64_t value = 0;
    for (; p_ < end_ && *p_ >= '0' && *p_ <= '9'; ++p_)
      value = value * 10 + static_cast<std::uint64_t>(*p_ - '0');
    if (p_ == begin || p_ - begin > 19) return false;
    *out = static_cast<Int>(negative ? 0 - value : value);
    return true;
  }
  bool at_end() const { return p_ == end_; }

 private:
  const char* p_;
  const char* const end_;
};

}  // namespace

bool parse_coll_line(std::string_view text, CollLine* out) {
  const std::size_t colon = text.substr(0, 24).find(':');
  if (colon == std::string_view::npos) return false;
  const OpKind kind = op_from_nccl(text.substr(0, colon));
  if (kind == OpKind::unknown) return false;
  out->row = OpRow{};
  OpRow& row = out->row;
  row.kind = kind;
  Scanner s(text.substr(colon));
  std::uint64_t buffer = 0;
  std::int32_t datatype = -1, ignored = 0;
  const bool whole =
      s.word(": opCount ") && s.hex(&row.op_count) && s.word(" sendbuff ") && s.pointer(&buffer) &&
      s.word(" recvbuff ") && s.pointer(&buffer) && s.word(" count ") && s.decimal(&row.count) &&
      s.word(" datatype ") && s.decimal(&datatype) && s.word(" op ") && s.decimal(&row.reduction) &&
      s.word(" root ") && s.decimal(&row.root) && s.word(" comm ") && s.pointer(&out->comm) &&
      s.word(" [nranks=") && s.decimal(&out->nranks) && s.word("] stream ") && s.pointer(&buffer);
  if (!whole) return false;
  row.datatype = static_cast<std::int8_t>(datatype);
  if (s.at_end()) return true;
  return s.word(" task ") && s.decimal(&ignored) && s.word(" globalrank ") && s.decimal(&ignored) &&
         s.at_end();
}

}  // namespace firstfault
