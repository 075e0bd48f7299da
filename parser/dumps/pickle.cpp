#include "parser/dumps/pickle.h"

#include <bit>
#include <cstring>
#include <string>

#include "base/text.h"
#include "parser/dumps/document_builder.h"

namespace firstfault {

namespace {

struct OpcodeName {
  unsigned char code;
  std::string_view name;
};

// All opcodes of protocols 0 to 5 (Python's pickletools.py).
constexpr OpcodeName kOpcodes[] = {
    {'(', "MARK"},
    {'.', "STOP"},
    {'0', "POP"},
    {'1', "POP_MARK"},
    {'2', "DUP"},
    {'F', "FLOAT"},
    {'I', "INT"},
    {'J', "BININT"},
    {'K', "BININT1"},
    {'L', "LONG"},
    {'M', "BININT2"},
    {'N', "NONE"},
    {'P', "PERSID"},
    {'Q', "BINPERSID"},
    {'R', "REDUCE"},
    {'S', "STRING"},
    {'T', "BINSTRING"},
    {'U', "SHORT_BINSTRING"},
    {'V', "UNICODE"},
    {'X', "BINUNICODE"},
    {'a', "APPEND"},
    {'b', "BUILD"},
    {'c', "GLOBAL"},
    {'d', "DICT"},
    {'}', "EMPTY_DICT"},
    {'e', "APPENDS"},
    {'g', "GET"},
    {'h', "BINGET"},
    {'i', "INST"},
    {'j', "LONG_BINGET"},
    {'l', "LIST"},
    {']', "EMPTY_LIST"},
    {'o', "OBJ"},
    {'p', "PUT"},
    {'q', "BINPUT"},
    {'r', "LONG_BINPUT"},
    {'s', "SETITEM"},
    {'t', "TUPLE"},
    {')', "EMPTY_TUPLE"},
    {'u', "SETITEMS"},
    {'G', "BINFLOAT"},
    {'B', "BINBYTES"},
    {'C', "SHORT_BINBYTES"},
    {0x80, "PROTO"},
    {0x81, "NEWOBJ"},
    {0x82, "EXT1"},
    {0x83, "EXT2"},
    {0x84, "EXT4"},
    {0x85, "TUPLE1"},
    {0x86, "TUPLE2"},
    {0x87, "TUPLE3"},
    {0x88, "NEWTRUE"},
    {0x89, "NEWFALSE"},
    {0x8a, "LONG1"},
    {0x8b, "LONG4"},
    {0x8c, "SHORT_BINUNICODE"},
    {0x8d, "BINUNICODE8"},
    {0x8e, "BINBYTES8"},
    {0x8f, "EMPTY_SET"},
    {0x90, "ADDITEMS"},
    {0x91, "FROZENSET"},
    {0x92, "NEWOBJ_EX"},
    {0x93, "STACK_GLOBAL"},
    {0x94, "MEMOIZE"},
    {0x95, "FRAME"},
    {0x96, "BYTEARRAY8"},
    {0x97, "NEXT_BUFFER"},
    {0x98, "READONLY_BUFFER"},
};

constexpr unsigned kNewestProtocol = 5;

class PickleReader {
 public:
  PickleReader(std::string_view bytes, const DumpLimits& limits)
      : bytes_(bytes), limits_(limits), builder_(bytes, limits) {}

  Result<Document> read() {
    while (builder_.ok() && !stopped_ && !ended_) {
      if (at_ == bytes_.size()) {
        ended_ = true;
        break;
      }
      opcode_at_ = at_;
      ++builder_.counters().opcodes;
      step(static_cast<unsigned char>(bytes_[at_++]));
    }
    builder_.counters().bytes = at_;
    Result<Document> out = stopped_ && builder_.ok() ? builder_.finish() : finish_early();
    if (!out) return out.error().in("pickle");
    return out;
  }

 private:
  Result<Document> finish_early() {
    if (builder_.ok()) builder_.counters().bytes = opcode_at_;
    if (!builder_.ok()) {
      return Error{builder_.error() + " (offset " + std::to_string(opcode_at_) + ")"};
    }
    return builder_.finish_truncated();
  }

  // Little-endian argument of `width` bytes; 0 and ended_ when the input stops inside it.
  std::uint64_t argument(unsigned width) {
    if (bytes_.size() - at_ < width) {
      ended_ = true;
      return 0;
    }
    std::uint64_t value = 0;
    if (std::endian::native == std::endian::little && width == 8) {
      std::memcpy(&value, bytes_.data() + at_, 8);
      at_ += 8;
      return value;
    }
    for (unsigned i = 0; i < width; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i);
    }
    at_ += width;
    return value;
  }

  void text(unsigned width) {
    const std::uint64_t length = argument(width);
    if (ended_) return;
    if (length > limits_.text) return builder_.push_text(at_, length);  // reports the limit
    if (length > bytes_.size() - at_) {
      ended_ = true;
      return;
    }
    builder_.push_text(at_, length);
    at_ += length;
  }

  void long1() {
    const auto width = static_cast<unsigned>(argument(1));
    if (ended_) return;
    if (width > 8) {
      return builder_.fail("an integer of " + std::to_string(width) + " bytes");
    }
    const std::uint64_t raw = argument(width);
    if (ended_) return;
    const unsigned shift = 64 - 8 * width;
    builder_.push_integer(width == 0 ? 0 : static_cast<std::int64_t>(raw << shift) >> shift);
  }

  void real() {
    const std::uint64_t raw = argument(8);
    if (!ended_) builder_.push_real(std::bit_cast<double>(__builtin_bswap64(raw)));
  }

  void get(unsigned width) {
    const std::uint64_t index = argument(width);
    if (ended_) return;
    if (index >= memo_.size()) {
      return builder_.fail("memo entry " + std::to_string(index) + " does not exist");
    }
    builder_.push(memo_[index]);
  }

  void put(std::uint64_t index) {
    if (ended_) return;
    const Value* top = builder_.top();
    if (top == nullptr) return builder_.fail("nothing to memoise");
    // All writers number densely; a gap would let four bytes ask for gigabytes.
    if (index > memo_.size()) {
      return builder_.fail("memo entry " + std::to_string(index) + " skips numbers");
    }
    if (index < memo_.size()) {
      memo_[index] = *top;
    } else if (memo_.size() >= limits_.memo) {
      builder_.fail("more than " + std::to_string(limits_.memo) + " memo entries");
    } else {
      memo_.push_back(*top);
    }
  }

  void protocol() {
    const std::uint64_t number = argument(1);
    if (!ended_ && number > kNewestProtocol) {
      builder_.fail("protocol " + std::to_string(number) + " is not known");
    }
  }

  void step(unsigned char opcode) {
    switch (opcode) {
      case 'h':
        return get(1);
      case 'K':
      case 'M': {
        const std::uint64_t v = argument(opcode == 'K' ? 1 : 2);
        if (!ended_) builder_.push_integer(static_cast<std::int64_t>(v));
        return;
      }
      case 'j':
        return get(4);
      case 0x8a:
        return long1();
      case 'J': {
        const std::uint64_t v = argument(4);
        if (!ended_) builder_.push_integer(static_cast<std::int32_t>(v));
        return;
      }
      case '(':
        return builder_.mark();
      case ']':
        return builder_.open(ValueKind::list, opcode_at_);
      case '}':
        return builder_.open(ValueKind::dict, opcode_at_);
      case 'e':
      case 'u':
        return builder_.close_mark(at_);
      case 'N':
        return builder_.push_none();
      case 0x88:
        return builder_.push_boolean(true);
      case 0x89:
        return builder_.push_boolean(false);
      case 'X':
        return text(4);
      case 0x8c:
        return text(1);
      case 0x8d:
        return text(8);
      case 'q':
        return put(argument(1));
      case 'r':
        return put(argument(4));
      case 0x94:
        return put(memo_.size());
      case 'a':
        return builder_.add_to_top(1, at_);
      case 's':
        return builder_.add_to_top(2, at_);
      case ')':
        return builder_.open(ValueKind::list, opcode_at_);
      case 't':
        return builder_.wrap_marked(opcode_at_, at_);
      case 0x85:
      case 0x86:
      case 0x87:
        return builder_.wrap_list(opcode - 0x84u, opcode_at_, at_);
      case 'G':
        return real();
      case 0x80:
        return protocol();
      case 0x95:
        argument(8);
        return;
      case '.':
        stopped_ = true;
        return;
      default:
        builder_.fail("opcode " + std::string(pickle_opcode_name(opcode)) + " at offset " +
                      std::to_string(opcode_at_) + " is not allowed");
    }
  }

  std::string_view bytes_;
  DumpLimits limits_;
  DocumentBuilder builder_;
  std::vector<Value> memo_;
  std::uint64_t at_ = 0, opcode_at_ = 0;
  bool stopped_ = false, ended_ = false;
};

}  // namespace

std::string_view pickle_opcode_name(unsigned char opcode) {
  for (const OpcodeName& row : kOpcodes) {
    if (row.code == opcode) return row.name;
  }
  return "unknown";
}

Result<Document> read_pickle(std::string_view bytes, const DumpLimits& limits) {
  return PickleReader(bytes, limits).read();
}

}  // namespace firstfault
