// ELF as far as core dumps need it: the header, the section and program header tables, and the
// bytes of single sections. 64-bit little-endian only. Format: System V gABI, chapter 4 and 5.
//
//   ElfWork work;
//   Result<ElfFile> elf = ElfFile::read(bytes, &work, [](const ElfSection& s) { return s.size; });
//   Result<std::string> table = elf->content(elf->sections()[0]);
//
// The bytes are foreign. Whatever a file says, the work of reading it and every file inside it is
// bounded by one ElfWork: headers looked at, sections kept, bytes read. Kept sections lie within
// the file and do not overlap, so no byte of it is read for two of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "parser/io/random_bytes.h"

namespace firstfault {

inline constexpr std::string_view kElfMagic = "\177ELF";

enum class ElfType : std::uint16_t { executable = 2, core = 4 };
enum class ElfMachine : std::uint16_t { cuda = 0xBE };

inline constexpr std::uint32_t kElfProgBits = 1, kElfSymbols = 2, kElfStrings = 3, kElfNoBits = 8;
inline constexpr std::uint64_t kElfLoaded = 2, kElfExecutable = 4;  // section flags
inline constexpr std::uint32_t kElfNoteSegment = 4;

// A GPU of 160 SMs with every warp alive takes a million section headers.
struct ElfLimits {
  std::uint64_t headers = 8u << 20;  // section and program headers looked at
  std::uint64_t kept = 1u << 18;     // of those kept
  std::uint64_t bytes = 1u << 30;    // read, headers included
  std::uint64_t table = 64u << 20;   // bytes of one section or note segment
};

struct ElfCounters {
  std::uint64_t headers = 0, kept = 0, bytes = 0;
};

// The budget of reading one file and the files inside it.
class ElfWork {
 public:
  explicit ElfWork(const ElfLimits& limits = {}) : limits_(limits) {}
  const ElfLimits& limits() const { return limits_; }
  const ElfCounters& counters() const { return counters_; }
  // Of everything read so far, in the order of reading.
  std::uint64_t hash() const { return hash_.value(); }

  // Exactly `size` bytes from `offset`. Errors: beyond the end, over the budget.
  Result<std::string> read(const RandomBytes& bytes, std::uint64_t offset, std::uint64_t size);
  Status count_headers(std::uint64_t n);
  Status count_kept();

 private:
  ElfLimits limits_;
  ElfCounters counters_;
  ByteHash hash_;
};

struct ElfSection {
  std::uint32_t index = 0;  // in the section header table
  std::uint32_t name = 0;   // offset in the section-name strings
  std::uint32_t type = 0, link = 0, info = 0;
  std::uint64_t flags = 0, address = 0, offset = 0, size = 0, entry_size = 0;
};

struct ElfSegment {
  std::uint32_t type = 0;
  std::uint64_t offset = 0, address = 0, file_size = 0;
};

struct ElfHeader {
  ElfType type{};
  ElfMachine machine{};
  std::uint64_t sections_at = 0, segments_at = 0;
  std::uint64_t section_count = 0, segment_count = 0;
  std::uint32_t names = 0;  // index of the section with the section names
};

class ElfFile {
 public:
  using Keep = std::function<bool(const ElfSection&)>;

  // The header and the sections that `keep` wants; sections without bytes in the file are kept
  // only as far as they are wanted. `bytes` and `work` must outlive the result. Errors: not ELF,
  // another class or byte order, a table outside the file, kept sections that overlap or leave the
  // file, over the budget.
  static Result<ElfFile> read(const RandomBytes& bytes, ElfWork* work, const Keep& keep);

  const ElfHeader& header() const { return header_; }
  const std::vector<ElfSection>& sections() const { return sections_; }  // ascending by index
  const ElfSection* section(std::uint32_t index) const;                  // nullptr: not kept
  Result<std::string> content(const ElfSection& section) const;
  // Program headers; those that leave the file are given too (a core may be cut short).
  Result<std::vector<ElfSegment>> segments() const;

 private:
  ElfFile(const RandomBytes& bytes, ElfWork* work) : bytes_(&bytes), work_(work) {}
  Status read_header();
  Status read_sections(const Keep& keep);
  Status refuse_overlaps() const;

  const RandomBytes* bytes_;
  ElfWork* work_;
  ElfHeader header_;
  std::vector<ElfSection> sections_;
};

// Little-endian field of a row; 0 when it does not lie wholly within the row.
std::uint32_t u32_at(std::string_view row, std::size_t offset);
std::uint64_t u64_at(std::string_view row, std::size_t offset);
// The string at `offset` of a string table, up to its NUL or end.
std::string_view string_at(std::string_view table, std::uint64_t offset);

}  // namespace firstfault
