#include "parser/dumps/elf.h"

#include <algorithm>

namespace firstfault {

namespace {

constexpr std::size_t kHeaderBytes = 64, kSectionBytes = 64, kSegmentBytes = 56;
constexpr std::uint64_t kRowsAtATime = 4096;
constexpr std::uint32_t kManySegments = 0xFFFF, kManySections = 0xFFFF;

template <typename Int>
Int field(std::string_view row, std::size_t offset) {
  if (offset > row.size() || row.size() - offset < sizeof(Int)) return 0;
  Int value = 0;
  for (std::size_t i = sizeof(Int); i-- > 0;) {
    value = static_cast<Int>(value << 8 | static_cast<unsigned char>(row[offset + i]));
  }
  return value;
}

bool within(std::uint64_t offset, std::uint64_t size, std::uint64_t whole) {
  return offset <= whole && size <= whole - offset;
}

ElfSection section_of(std::string_view row, std::uint32_t index) {
  ElfSection s;
  s.index = index;
  s.name = u32_at(row, 0);
  s.type = u32_at(row, 4);
  s.flags = u64_at(row, 8);
  s.address = u64_at(row, 16);
  s.offset = u64_at(row, 24);
  s.size = u64_at(row, 32);
  s.link = u32_at(row, 40);
  s.info = u32_at(row, 44);
  s.entry_size = u64_at(row, 56);
  return s;
}

}  // namespace

std::uint32_t u32_at(std::string_view row, std::size_t offset) {
  return field<std::uint32_t>(row, offset);
}

std::uint64_t u64_at(std::string_view row, std::size_t offset) {
  return field<std::uint64_t>(row, offset);
}

std::string_view string_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  table.remove_prefix(offset);
  return table.substr(0, table.find('\0'));
}

Result<std::string> ElfWork::read(const RandomBytes& bytes, std::uint64_t offset,
                                  std::uint64_t size) {
  if (!within(offset, size, bytes.size())) return Error{"a table lies outside the file"};
  if (size > limits_.bytes - counters_.bytes) return Error{"more tables than are read"};
  counters_.bytes += size;
  std::string out(size, '\0');
  if (bytes.read_at(offset, out.data(), out.size()) != size) return Error{"the file ends early"};
  hash_.add(out);
  return out;
}

Status ElfWork::count_headers(std::uint64_t n) {
  if (n > limits_.headers - counters_.headers) return Error{"more headers than are read"};
  counters_.headers += n;
  return Done{};
}

Status ElfWork::count_kept() {
  if (counters_.kept >= limits_.kept) return Error{"more sections than are read"};
  ++counters_.kept;
  return Done{};
}

Result<ElfFile> ElfFile::read(const RandomBytes& bytes, ElfWork* work, const Keep& keep) {
  ElfFile file(bytes, work);
  if (Status read = file.read_header(); !read) return read.error();
  if (Status read = file.read_sections(keep); !read) return read.error();
  if (Status apart = file.refuse_overlaps(); !apart) return apart.error();
  return file;
}

Status ElfFile::read_header() {
  if (bytes_->size() < kHeaderBytes) return Error{"shorter than an ELF header"};
  Result<std::string> head = work_->read(*bytes_, 0, kHeaderBytes);
  if (!head) return head.error();
  const std::string_view h = *head;
  if (!h.starts_with(kElfMagic)) return Error{"not an ELF file"};
  if (h[4] != 2 || h[5] != 1) return Error{"not a 64-bit little-endian ELF file"};
  header_.type = ElfType{field<std::uint16_t>(h, 16)};
  header_.machine = ElfMachine{field<std::uint16_t>(h, 18)};
  header_.segments_at = u64_at(h, 32);
  header_.sections_at = u64_at(h, 40);
  header_.segment_count = field<std::uint16_t>(h, 56);
  header_.section_count = field<std::uint16_t>(h, 60);
  header_.names = field<std::uint16_t>(h, 62);
  if (header_.segments_at == 0) header_.segment_count = 0;
  if (header_.segment_count > 0 && field<std::uint16_t>(h, 54) != kSegmentBytes)
    return Error{"program headers of an unknown size"};
  if (header_.sections_at == 0) {
    header_.section_count = 0;
    return Done{};
  }
  // Counts that do not fit their field stand in the first section header.
  const bool escaped = header_.section_count == 0 || header_.names == kManySections ||
                       header_.segment_count == kManySegments;
  if (field<std::uint16_t>(h, 58) != kSectionBytes)
    return Error{"section headers of an unknown size"};
  if (escaped) {
    if (!within(header_.sections_at, kSectionBytes, bytes_->size())) {
      // A core that was cut short has lost them; its program headers still count.
      if (header_.segment_count == 0) return Error{"ends before its section headers"};
      header_.section_count = 0;
      return Done{};
    }
    Result<std::string> first = work_->read(*bytes_, header_.sections_at, kSectionBytes);
    if (!first) return first.error();
    const ElfSection zero = section_of(*first, 0);
    if (header_.section_count == 0) header_.section_count = zero.size;
    if (header_.names == kManySections) header_.names = zero.link;
    if (header_.segment_count == kManySegments) header_.segment_count = zero.info;
  }
  return Done{};
}

Status ElfFile::read_sections(const Keep& keep) {
  const std::uint64_t n = header_.section_count;
  if (n == 0) return Done{};
  if (n > UINT32_MAX || !within(header_.sections_at, n * kSectionBytes, bytes_->size())) {
    if (header_.segment_count > 0) return Done{};
    return Error{"ends before its section headers"};
  }
  if (Status counted = work_->count_headers(n); !counted) return counted;
  for (std::uint64_t done = 0; done < n; done += kRowsAtATime) {
    const std::uint64_t rows = std::min(kRowsAtATime, n - done);
    Result<std::string> block =
        work_->read(*bytes_, header_.sections_at + done * kSectionBytes, rows * kSectionBytes);
    if (!block) return block.error();
    for (std::uint64_t r = 0; r < rows; ++r) {
      const ElfSection s =
          section_of(std::string_view(*block).substr(r * kSectionBytes, kSectionBytes),
                     static_cast<std::uint32_t>(done + r));
      if (!keep(s)) continue;
      if (s.type != kElfNoBits && !within(s.offset, s.size, bytes_->size()))
        return Error{"a section lies outside the file"};
      if (Status counted = work_->count_kept(); !counted) return counted;
      sections_.push_back(s);
    }
  }
  return Done{};
}

Status ElfFile::refuse_overlaps() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const ElfSection& s : sections_) {
    if (s.type != kElfNoBits && s.size > 0) ranges.emplace_back(s.offset, s.size);
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first - ranges[i - 1].first < ranges[i - 1].second)
      return Error{"sections overlap"};
  }
  return Done{};
}

const ElfSection* ElfFile::section(std::uint32_t index) const {
  const auto at =
      std::lower_bound(sections_.begin(), sections_.end(), index,
                       [](const ElfSection& s, std::uint32_t i) { return s.index < i; });
  return at != sections_.end() && at->index == index ? &*at : nullptr;
}

Result<std::string> ElfFile::content(const ElfSection& section) const {
  if (section.type == kElfNoBits) return std::string();
  if (section.size > work_->limits().table) return Error{"a table is larger than any real one"};
  return work_->read(*bytes_, section.offset, section.size);
}

Result<std::vector<ElfSegment>> ElfFile::segments() const {
  std::vector<ElfSegment> out;
  const std::uint64_t n = header_.segment_count;
  if (n == 0) return out;
  if (!within(header_.segments_at, 0, bytes_->size()) || n > UINT32_MAX)
    return Error{"program headers lie outside the file"};
  if (Status counted = work_->count_headers(n); !counted) return counted.error();
  Result<std::string> table = work_->read(*bytes_, header_.segments_at, n * kSegmentBytes);
  if (!table) return table.error();
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::string_view row = std::string_view(*table).substr(i * kSegmentBytes, kSegmentBytes);
    ElfSegment s;
    s.type = u32_at(row, 0);
    s.offset = u64_at(row, 8);
    s.address = u64_at(row, 16);
    s.file_size = u64_at(row, 32);
    out.push_back(s);
  }
  return out;
}

}  // namespace firstfault
