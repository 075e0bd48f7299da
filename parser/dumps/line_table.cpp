#include "parser/dumps/line_table.h"

#include <array>
#include <optional>
#include <vector>

#include "base/text.h"
#include "parser/dumps/elf.h"

namespace firstfault {

namespace {

constexpr std::size_t kFileBytes = 512;
constexpr std::uint64_t kMaxFiles = 1u << 16;

// Reads forward; after the end everything is 0 and ok() is false.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool done() const { return !ok_ || at_ >= bytes_.size(); }
  std::size_t at() const { return at_; }

  std::uint64_t fixed(std::size_t n) {
    const std::string_view raw = take(n);
    std::uint64_t value = 0;
    for (std::size_t i = raw.size(); i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(raw[i]);
    return value;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(fixed(1)); }
  std::uint64_t leb() {
    bool negative = false;
    unsigned shift = 0;
    return leb(&negative, &shift);
  }
  std::int64_t signed_leb() {
    bool negative = false;
    unsigned shift = 0;
    std::uint64_t value = leb(&negative, &shift);
    if (negative && shift < 64) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }
  std::string_view text() {
    const std::size_t end = bytes_.find('\0', std::min(at_, bytes_.size()));
    if (end == std::string_view::npos) {
      ok_ = false;
      return {};
    }
    const std::string_view out = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return out;
  }
  std::string_view take(std::uint64_t n) {
    if (!ok_ || n > bytes_.size() - at_) {
      ok_ = false;
      return {};
    }
    const std::string_view out = bytes_.substr(at_, n);
    at_ += n;
    return out;
  }

 private:
  std::uint64_t leb(bool* negative, unsigned* shift) {
    std::uint64_t value = 0;
    for (;;) {
      const std::uint8_t b = byte();
      if (*shift < 64) value |= static_cast<std::uint64_t>(b & 0x7F) << *shift;
      *shift += 7;
      *negative = (b & 0x40) != 0;
      if (!ok_ || (b & 0x80) == 0 || *shift > 140) return value;
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

// Forms of version 5 that stand in file tables (DWARF 5, 7.5.6).
enum Form : std::uint64_t {
  kBlock = 0x09,
  kData1 = 0x0b,
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kData16 = 0x1e,
  kString = 0x08,
  kStrp = 0x0e,
  kUdata = 0x0f,
  kLineStrp = 0x1f,
};
constexpr std::uint64_t kContentPath = 1;

struct Program {
  std::uint16_t version = 0;
  std::size_t offset_size = 4;
  std::uint8_t unit = 1, line_range = 0, opcode_base = 0;
  std::int8_t line_base = 0;
  std::array<std::uint8_t, 256> operands{};
  std::vector<std::string_view> files;  // index as the program uses it
};

void read_files_v2(Cursor* c, Program* p) {
  while (c->ok() && !c->text().empty()) {
  }
  p->files.emplace_back();  // counted from 1
  while (c->ok() && p->files.size() < kMaxFiles) {
    const std::string_view name = c->text();
    if (name.empty()) return;
    p->files.push_back(name);
    for (int i = 0; i < 3; ++i) c->leb();  // folder, time, length
  }
}

std::string_view read_form(Cursor* c, std::uint64_t form, const Program& p,
                           std::string_view strings, bool* known) {
  switch (form) {
    case kString:
      return c->text();
    case kLineStrp:
      return string_at(strings, c->fixed(p.offset_size));
    case kStrp:
      c->fixed(p.offset_size);
      break;
    case kUdata:
      c->leb();
      break;
    case kData1:
      c->take(1);
      break;
    case kData2:
      c->take(2);
      break;
    case kData4:
      c->take(4);
      break;
    case kData8:
      c->take(8);
      break;
    case kData16:
      c->take(16);
      break;
    case kBlock:
      c->take(c->leb());
      break;
    default:
      *known = false;
  }
  return {};
}

// One table of folders or files. False when it holds a form that cannot be passed over.
bool read_entries_v5(Cursor* c, const Program& p, std::string_view strings,
                     std::vector<std::string_view>* out) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> formats(c->byte());
  for (auto& [content, form] : formats) {
    content = c->leb();
    form = c->leb();
  }
  const std::uint64_t count = c->leb();
  if (count > kMaxFiles || (count > 0 && formats.empty())) return false;
  for (std::uint64_t i = 0; i < count && c->ok(); ++i) {
    std::string_view path;
    for (const auto& [content, form] : formats) {
      bool known = true;
      const std::string_view value = read_form(c, form, p, strings, &known);
      if (!known) return false;
      if (content == kContentPath) path = value;
    }
    if (out != nullptr) out->push_back(path);
  }
  return c->ok();
}

// The state machine of one table.
class Machine {
 public:
  Machine(const Program& p, std::uint64_t address, std::uint64_t* steps)
      : p_(p), wanted_(address), steps_(steps) {}

  std::optional<SourceLine> run(Cursor c) {
    while (!c.done() && !found_) {
      ++*steps_;
      const std::uint8_t op = c.byte();
      if (op >= p_.opcode_base) {
        special(op - p_.opcode_base);
      } else if (op == 0) {
        extended(&c);
      } else {
        standard(op, &c);
      }
    }
    return found_;
  }

 private:
  void special(unsigned adjusted) {
    if (p_.line_range == 0) return;
    address_ += static_cast<std::uint64_t>(adjusted / p_.line_range) * p_.unit;
    line_ += static_cast<std::uint32_t>(p_.line_base + static_cast<int>(adjusted % p_.line_range));
    row(false);
  }

  void standard(std::uint8_t op, Cursor* c) {
    switch (op) {
      case 1:
        row(false);
        break;
      case 2:
        address_ += c->leb() * p_.unit;
        break;
      case 3:
        line_ += static_cast<std::uint32_t>(c->signed_leb());
        break;
      case 4:
        file_ = c->leb();
        break;
      case 8:
        if (p_.line_range > 0)
          address_ += static_cast<std::uint64_t>((255 - p_.opcode_base) / p_.line_range) * p_.unit;
        break;
      case 9:
        address_ += c->fixed(2);
        break;
      default:
        for (unsigned i = 0; i < p_.operands[op]; ++i) c->leb();
    }
  }

  void extended(Cursor* c) {
    Cursor body(c->take(c->leb()));
    switch (body.byte()) {
      case 1:
        row(true);
        break;
      case 2:
        address_ = body.fixed(8);
        break;
      default:
        break;  // files of a program's own, NVIDIA's inlined calls
    }
  }

  // A row covers the addresses up to the next one of its sequence.
  void row(bool last) {
    if (started_ && row_address_ <= wanted_ && wanted_ < address_) {
      SourceLine found;
      if (row_file_ < p_.files.size())
        found.file = to_utf8(p_.files[row_file_], kFileBytes, nullptr);
      found.line = row_line_;
      if (found.known()) found_ = std::move(found);
    }
    started_ = !last;
    row_address_ = address_;
    row_file_ = file_;
    row_line_ = line_;
    if (!last) return;
    address_ = 0;
    file_ = 1;
    line_ = 1;
  }

  const Program& p_;
  std::uint64_t wanted_;
  std::uint64_t* steps_;
  std::uint64_t address_ = 0, file_ = 1, row_address_ = 0, row_file_ = 0;
  std::uint32_t line_ = 1, row_line_ = 0;
  bool started_ = false;
  std::optional<SourceLine> found_;
};

std::optional<SourceLine> find_in_unit(std::string_view unit, std::size_t offset_size,
                                       std::string_view strings, std::uint64_t address,
                                       std::uint64_t* steps) {
  Cursor c(unit);
  Program p;
  p.offset_size = offset_size;
  p.version = static_cast<std::uint16_t>(c.fixed(2));
  if (p.version < 2 || p.version > 5) return std::nullopt;
  if (p.version == 5) c.take(2);  // sizes of addresses and segment selectors
  const std::uint64_t length = c.fixed(offset_size);
  const std::size_t start = c.at();
  p.unit = c.byte();
  if (p.version >= 4) c.byte();  // operations of a VLIW instruction
  c.byte();                      // default of is_stmt
  p.line_base = static_cast<std::int8_t>(c.byte());
  p.line_range = c.byte();
  p.opcode_base = c.byte();
  if (p.opcode_base == 0) return std::nullopt;
  for (unsigned op = 1; op < p.opcode_base; ++op) p.operands[op] = c.byte();
  if (p.version < 5) {
    read_files_v2(&c, &p);
  } else if (!read_entries_v5(&c, p, strings, nullptr) ||
             !read_entries_v5(&c, p, strings, &p.files)) {
    return std::nullopt;
  }
  if (!c.ok() || length > unit.size() - start) return std::nullopt;
  return Machine(p, address, steps).run(Cursor(unit.substr(start + length)));
}

}  // namespace

SourceLine find_line(const LineTables& tables, std::uint64_t address, std::uint64_t* steps) {
  std::uint64_t own = 0;
  if (steps == nullptr) steps = &own;
  Cursor c(tables.program);
  while (!c.done()) {
    std::size_t offset_size = 4;
    std::uint64_t length = c.fixed(4);
    if (length == 0xFFFFFFFF) {
      offset_size = 8;
      length = c.fixed(8);
    }
    const std::string_view unit = c.take(length);
    if (!c.ok()) break;
    if (auto found = find_in_unit(unit, offset_size, tables.strings, address, steps))
      return *std::move(found);
  }
  return {};
}

}  // namespace firstfault
