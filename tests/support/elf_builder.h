// Small ELF files for tests: right ones, and with single fields set wrong.
//
//   ElfBuilder core(kElfCore, kElfCuda);
//   const auto devices = core.section({.name = ".cudbg.devtbl", .type = 0x80000009, .row = 88},
//   Row().u32(24, 0).bytes(88)); std::string bytes = core.bytes();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace firstfault::test {

inline constexpr std::uint16_t kElfExecutable = 2, kElfCore = 4;
inline constexpr std::uint16_t kElfCuda = 0xBE, kElfX86 = 62, kElfArm = 183;

// Little-endian fields at offsets of a row; what is not set is 0.
class Row {
 public:
  Row& u16(std::size_t offset, std::uint16_t value) { return put(offset, value, 2); }
  Row& u32(std::size_t offset, std::uint32_t value) { return put(offset, value, 4); }
  Row& u64(std::size_t offset, std::uint64_t value) { return put(offset, value, 8); }
  Row& text(std::size_t offset, std::string_view value);
  std::string bytes(std::size_t size) const;  // cut or filled up with zeros

 private:
  Row& put(std::size_t offset, std::uint64_t value, std::size_t n);
  std::string bytes_;
};

struct SectionSpec {
  std::string name;
  std::uint32_t type = 1;
  std::uint32_t link = 0, info = 0;
  std::uint64_t address = 0, flags = 0, row = 0;
};

class ElfBuilder {
 public:
  ElfBuilder(std::uint16_t type, std::uint16_t machine) : type_(type), machine_(machine) {}
  std::uint32_t section(const SectionSpec& spec, std::string body);  // its index, from 1
  void segment(std::uint32_t type, std::string body);
  // Header, program headers, bodies, section names, section headers.
  std::string bytes() const;
  // Where field `offset` of section header `index` stands in bytes().
  std::size_t header_field(std::uint32_t index, std::size_t offset) const;

 private:
  struct Part {
    SectionSpec spec;
    std::string body;
  };
  std::size_t headers_at() const;
  std::string names() const;

  std::uint16_t type_, machine_;
  std::vector<Part> sections_, segments_;
};

// Overwrites little-endian fields of finished bytes.
std::string with_u32(std::string bytes, std::size_t offset, std::uint32_t value);
std::string with_u64(std::string bytes, std::size_t offset, std::uint64_t value);

// A cubin with one function: code at `address`, symbols, and a line table that puts its second
// half on line 4 of "bad.cu".
std::string cubin(std::string_view symbol, std::uint64_t address, std::uint64_t size);

struct GpuCoreSpec {
  std::uint32_t sm_exception = 14;
  bool warps_left = true;  // false: they had exited before the dump was taken
  std::uint32_t lane_exception = 14;
  bool broken = false;                  // stopped by a trap
  std::uint32_t sms = 2;                // the last one faults
  std::uint64_t code = 0x7f0000001000;  // of the kernel; the fault is 0xf0 behind it
};
// A GPU core dump of one device and one grid of gather_rows(float const*, int).
std::string gpu_core(const GpuCoreSpec& spec = {});

struct HostCoreSpec {
  std::uint32_t signal = 11;
  std::int32_t code = 1;  // SEGV_MAPERR; -6 = sent by tgkill
  std::uint64_t address = 0x10;
  std::int32_t pid = 4242;
  std::uint64_t memory = 4096;  // bytes behind the notes
};
std::string host_core(const HostCoreSpec& spec = {});

}  // namespace firstfault::test
