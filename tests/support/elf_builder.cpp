#include "support/elf_builder.h"

namespace firstfault::test {

namespace {

constexpr std::size_t kHeader = 64, kSegment = 56;

std::string note(std::uint32_t type, const std::string& body) {
  std::string padded = body;
  padded.resize((body.size() + 3) & ~std::size_t{3});
  return Row()
             .u32(0, 5)
             .u32(4, static_cast<std::uint32_t>(body.size()))
             .u32(8, type)
             .text(12, "CORE")
             .bytes(20) +
         padded;
}

std::string leb(std::uint64_t value) {
  std::string out;
  do {
    out += static_cast<char>((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
    value >>= 7;
  } while (value > 0);
  return out;
}

// DWARF 2, as nvcc writes it: line 3 from the start, line 4 from the middle.
std::string line_table(std::uint64_t address, std::uint64_t size) {
  std::string head("\x01\x01\xfb\x0e\x0a\x00\x01\x01\x01\x01\x00\x00\x00\x01", 14);
  head += std::string("/w\0\0bad.cu\0\x01\0\0\0", 15);
  std::string program("\0\x09\x02", 3);
  program += Row().u64(0, address).bytes(8);
  program += std::string("\x04\x01\x03\x02\x01", 5);                    // file 1, line + 2, row
  program += "\x03\x01\x02" + leb(size / 2) + "\x01";                   // line + 1, pc + half, row
  program += "\x02" + leb(size - size / 2) + std::string("\0\1\1", 3);  // end of sequence
  std::string unit = Row().u16(0, 2).u32(2, static_cast<std::uint32_t>(head.size())).bytes(6);
  unit += head + program;
  return Row().u32(0, static_cast<std::uint32_t>(unit.size())).bytes(4) + unit;
}

}  // namespace

Row& Row::put(std::size_t offset, std::uint64_t value, std::size_t n) {
  if (bytes_.size() < offset + n) bytes_.resize(offset + n);
  for (std::size_t i = 0; i < n; ++i) bytes_[offset + i] = static_cast<char>(value >> (8 * i));
  return *this;
}

Row& Row::text(std::size_t offset, std::string_view value) {
  if (bytes_.size() < offset + value.size()) bytes_.resize(offset + value.size());
  bytes_.replace(offset, value.size(), value);
  return *this;
}

std::string Row::bytes(std::size_t size) const {
  std::string out = bytes_;
  out.resize(size);
  return out;
}

std::uint32_t ElfBuilder::section(const SectionSpec& spec, std::string body) {
  sections_.push_back({spec, std::move(body)});
  return static_cast<std::uint32_t>(sections_.size());
}

void ElfBuilder::segment(std::uint32_t type, std::string body) {
  segments_.push_back({{.name = {}, .type = type}, std::move(body)});
}

std::string ElfBuilder::names() const {
  std::string out(1, '\0');
  for (const Part& s : sections_) out += s.spec.name + '\0';
  return out + ".shstrtab" + '\0';
}

std::size_t ElfBuilder::headers_at() const {
  std::size_t at = kHeader + segments_.size() * kSegment + names().size();
  for (const Part& s : segments_) at += s.body.size();
  for (const Part& s : sections_) at += s.body.size();
  return at;
}

std::size_t ElfBuilder::header_field(std::uint32_t index, std::size_t offset) const {
  return headers_at() + index * kHeader + offset;
}

std::string ElfBuilder::bytes() const {
  const bool sectioned = !sections_.empty();
  const auto count = static_cast<std::uint16_t>(sectioned ? sections_.size() + 2 : 0);
  Row head;
  head.text(0, "\177ELF\2\1\1").u16(16, type_).u16(18, machine_).u32(20, 1);
  head.u64(32, segments_.empty() ? 0 : kHeader).u64(40, sectioned ? headers_at() : 0);
  head.u16(52, kHeader).u16(54, kSegment).u16(56, static_cast<std::uint16_t>(segments_.size()));
  head.u16(58, kHeader)
      .u16(60, count)
      .u16(62, static_cast<std::uint16_t>(count > 0 ? count - 1 : 0));
  std::string out = head.bytes(kHeader);
  std::size_t at = kHeader + segments_.size() * kSegment;
  for (const Part& s : segments_) {
    out += Row().u32(0, s.spec.type).u64(8, at).u64(32, s.body.size()).bytes(kSegment);
    at += s.body.size();
  }
  for (const Part& s : segments_) out += s.body;
  std::string headers = Row().bytes(kHeader);
  std::size_t name = 1;
  const auto add = [&](const SectionSpec& spec, const std::string& body) {
    headers += Row()
                   .u32(0, static_cast<std::uint32_t>(name))
                   .u32(4, spec.type)
                   .u64(8, spec.flags)
                   .u64(16, spec.address)
                   .u64(24, out.size())
                   .u64(32, body.size())
                   .u32(40, spec.link)
                   .u32(44, spec.info)
                   .u64(56, spec.row)
                   .bytes(kHeader);
    out += body;
    name += spec.name.size() + 1;
  };
  for (const Part& s : sections_) add(s.spec, s.body);
  add({.name = ".shstrtab", .type = 3}, names());
  return sectioned ? out + headers : out;
}

std::string with_u32(std::string bytes, std::size_t offset, std::uint32_t value) {
  return bytes.replace(offset, 4, Row().u32(0, value).bytes(4));
}

std::string with_u64(std::string bytes, std::size_t offset, std::uint64_t value) {
  return bytes.replace(offset, 8, Row().u64(0, value).bytes(8));
}

std::string cubin(std::string_view symbol, std::uint64_t address, std::uint64_t size) {
  const std::string name(symbol);
  ElfBuilder elf(kElfExecutable, kElfCuda);
  const auto code =
      elf.section({.name = ".text." + name, .type = 1, .address = address, .flags = 6},
                  std::string(size, '\1'));
  const auto strings = elf.section({.name = ".strtab", .type = 3}, '\0' + name + '\0');
  elf.section({.name = ".symtab", .type = 2, .link = strings, .row = 24},
              Row().u32(0, 1).u32(4, 0x12 | code << 16).u64(8, address).u64(16, size).bytes(24));
  elf.section({.name = ".debug_line"}, line_table(address, size));
  return elf.bytes();
}

std::string gpu_core(const GpuCoreSpec& spec) {
  constexpr std::uint32_t kTable = 0x80000000;
  const std::uint64_t pc = spec.code + 0xf0;
  ElfBuilder elf(kElfCore, kElfCuda);
  elf.section({.name = ".cudbg.global.0", .type = kTable + 2, .address = 0x7f1000000000},
              std::string(256, '\0'));
  const auto devices = elf.section({.name = ".cudbg.devtbl", .type = kTable + 9, .row = 88},
                                   Row().u32(28, 0x17).u32(32, 0).u32(36, spec.sms).bytes(88));
  const auto contexts =
      elf.section({.name = ".cudbg.ctxtbl.dev0", .type = kTable + 10, .link = devices, .row = 40},
                  Row().u32(36, 2067).bytes(40));
  const auto modules = elf.section(
      {.name = ".cudbg.modtbl.dev0.ctx0", .type = kTable + 16, .link = contexts, .row = 8},
      Row().u64(0, 1).bytes(8));
  elf.section({.name = ".cudbg.relfimg.dev0.ctx0", .type = kTable + 7, .link = modules},
              cubin("_Z11gather_rowsPKfi", spec.code, 0x200));
  elf.section({.name = ".cudbg.gridtbl.dev0", .type = kTable + 12, .link = devices, .row = 136},
              Row().u64(0, 1).u64(24, spec.code).u32(100, 2067).bytes(136));
  std::string sm_rows;
  for (std::uint32_t i = 0; i < spec.sms; ++i) {
    const bool here = i + 1 == spec.sms && spec.sm_exception != 0;
    Row row;
    row.u32(0, i);
    if (here) row.u32(8, spec.sm_exception).u32(12, 1).u64(16, pc);
    sm_rows += row.bytes(48);
  }
  const auto sms = elf.section(
      {.name = ".cudbg.smtbl.dev0", .type = kTable + 11, .link = devices, .row = 48}, sm_rows);
  if (spec.warps_left) {
    const auto blocks = elf.section({.name = ".cudbg.ctatbl.dev0.sm1",
                                     .type = kTable + 13,
                                     .link = sms,
                                     .info = spec.sms - 1,
                                     .row = 56},
                                    Row().u64(0, 1).u32(8, 1).bytes(56));
    const bool noted = spec.sm_exception != 0;
    const auto warps = elf.section(
        {.name = ".cudbg.wptbl.dev0.sm1.cta0", .type = kTable + 14, .link = blocks, .row = 64},
        Row().u32(8, 1).u32(12, 3).u32(16, 2).bytes(64) + Row()
                                                              .u64(0, noted ? pc : 0)
                                                              .u32(8, 2)
                                                              .u32(12, 3)
                                                              .u32(16, 2)
                                                              .u32(20, spec.broken ? 1 : 0)
                                                              .u32(24, noted ? 1 : 0)
                                                              .bytes(64));
    const auto lane = [&](std::uint32_t n) {
      return Row()
          .u64(0, pc + 0x20)
          .u32(16, n)
          .u32(20, 64 + n)
          .u32(32, n == 1 ? spec.lane_exception : 0)
          .bytes(56);
    };
    elf.section({.name = ".cudbg.lntbl.dev0.sm1.cta0.wp1",
                 .type = kTable + 15,
                 .link = warps,
                 .info = 1,
                 .row = 56},
                lane(0) + lane(1));
  }
  elf.section({.name = ".cudbg.meta", .type = kTable + 22}, Row().u32(28, 1796096904).bytes(32));
  return elf.bytes();
}

std::string host_core(const HostCoreSpec& spec) {
  const std::uint64_t base = 0x7f0000000000;
  const std::string files("/usr/lib/libnccl.so.2.28.9\0/usr/bin/python3.12\0", 47);
  const std::string mapped = Row()
                                 .u64(0, 2)
                                 .u64(8, 4096)
                                 .u64(16, base)
                                 .u64(24, base + 0x1000)
                                 .u64(32, 3)
                                 .u64(40, base + 0x2000)
                                 .u64(48, base + 0x3000)
                                 .bytes(64) +
                             files;
  const auto pid = static_cast<std::uint32_t>(spec.pid);
  ElfBuilder elf(kElfCore, kElfX86);
  elf.segment(
      4,
      note(1, Row()
                  .u16(12, static_cast<std::uint16_t>(spec.signal))
                  .u32(32, pid + 1)
                  .u64(112 + 128, base + 0x234)
                  .bytes(336)) +
          note(3, Row().u32(24, pid).text(40, "python3").text(56, "python3 train.py ").bytes(136)) +
          note(0x53494749, Row()
                               .u32(0, spec.signal)
                               .u32(8, static_cast<std::uint32_t>(spec.code))
                               .u64(16, spec.address)
                               .bytes(128)) +
          note(0x46494c45, mapped));
  elf.segment(1, std::string(spec.memory, '\7'));
  return elf.bytes();
}

}  // namespace firstfault::test
