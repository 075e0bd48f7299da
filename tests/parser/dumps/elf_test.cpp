#include "parser/dumps/elf.h"

#include <gtest/gtest.h>

#include "support/elf_builder.h"

namespace firstfault {
namespace {

using test::ElfBuilder;
using test::with_u32;
using test::with_u64;

constexpr std::size_t kSectionsAt = 40, kSectionCount = 60;  // fields of the header
constexpr std::size_t kOffset = 24, kSize = 32;              // fields of a section header

bool all(const ElfSection& s) { return s.size > 0; }

Result<ElfFile> read(const std::string& bytes, ElfWork* work) {
  static std::vector<std::unique_ptr<MemoryBytes>> kept;  // outlive the result
  static std::vector<std::unique_ptr<std::string>> copies;
  copies.push_back(std::make_unique<std::string>(bytes));
  kept.push_back(std::make_unique<MemoryBytes>(*copies.back()));
  return ElfFile::read(*kept.back(), work, all);
}

std::string refusal(const std::string& bytes, const ElfLimits& limits = {}) {
  ElfWork work(limits);
  const Result<ElfFile> elf = read(bytes, &work);
  return elf ? "" : elf.error().message;
}

ElfBuilder two_sections() {
  ElfBuilder elf(test::kElfCore, test::kElfCuda);
  elf.section({.name = ".one"}, "first body");
  elf.section({.name = ".two", .type = 7, .link = 1, .info = 9, .row = 5}, "other body");
  return elf;
}

TEST(Elf, GivesSectionsAndTheirBytes) {
  ElfWork work;
  const Result<ElfFile> elf = read(two_sections().bytes(), &work);
  ASSERT_TRUE(elf) << elf.error().message;
  EXPECT_EQ(elf->header().machine, ElfMachine::cuda);
  const ElfSection* two = elf->section(2);
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(two->link, 1u);
  EXPECT_EQ(two->info, 9u);
  EXPECT_EQ(*elf->content(*two), "other body");
  EXPECT_EQ(elf->section(17), nullptr);
  EXPECT_EQ(work.counters().headers, 4u);
  EXPECT_EQ(work.counters().bytes, 64u + 4 * 64u + 10u);
}

TEST(Elf, TablesOutsideTheFileAreRefused) {
  const ElfBuilder builder = two_sections();
  const std::string good = builder.bytes();
  EXPECT_EQ(refusal(good), "");
  EXPECT_NE(refusal(with_u64(good, kSectionsAt, good.size())), "");
  EXPECT_NE(refusal(with_u64(good, kSectionsAt, UINT64_MAX - 63)), "") << "wraps";
  for (const std::uint64_t bad : {good.size() + 0, std::uint64_t{UINT64_MAX - 4}}) {
    EXPECT_EQ(refusal(with_u64(good, builder.header_field(2, kOffset), bad)),
              "a section lies outside the file");
    EXPECT_EQ(refusal(with_u64(good, builder.header_field(2, kSize), bad)),
              "a section lies outside the file");
  }
  for (std::size_t cut = 0; cut < good.size(); cut += 7) {
    EXPECT_NE(refusal(good.substr(0, cut)), "") << cut;
  }
}

TEST(Elf, OverlappingSectionsAreRefusedBeforeTheyAreRead) {
  const ElfBuilder builder = two_sections();
  ElfWork work;
  const std::string bytes = with_u64(builder.bytes(), builder.header_field(2, kOffset), 66);
  const Result<ElfFile> elf = read(bytes, &work);
  ASSERT_FALSE(elf);
  EXPECT_EQ(elf.error().message, "sections overlap");
  EXPECT_EQ(work.counters().bytes, 64u + 4 * 64u) << "headers only";
}

TEST(Elf, HugeCountsCostNothing) {
  // Extended numbering: 2^40 sections by the first header, in a file of 1 KB.
  const ElfBuilder builder = two_sections();
  std::string bytes = builder.bytes();
  bytes[kSectionCount] = bytes[kSectionCount + 1] = 0;
  bytes = with_u64(bytes, builder.header_field(0, kSize), std::uint64_t{1} << 40);
  ElfWork work;
  EXPECT_FALSE(read(bytes, &work));
  EXPECT_LE(work.counters().bytes, 128u);
  EXPECT_EQ(work.counters().headers, 0u);
  EXPECT_EQ(refusal(with_u64(bytes, builder.header_field(0, kSize), 4)), "")
      << "that many are there";
}

TEST(Elf, LimitsHoldOverAllFilesOfOneBudget) {
  ElfLimits limits;
  limits.headers = 7;
  ElfWork work(limits);
  EXPECT_TRUE(read(two_sections().bytes(), &work));
  const Result<ElfFile> second = read(two_sections().bytes(), &work);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "more headers than are read");
  limits = {};
  limits.kept = 1;
  EXPECT_EQ(refusal(two_sections().bytes(), limits), "more sections than are read");
  limits = {};
  limits.bytes = 100;
  EXPECT_EQ(refusal(two_sections().bytes(), limits), "more tables than are read");
}

TEST(Elf, OtherClassesAndOrdersAreRefused) {
  std::string bytes = two_sections().bytes();
  bytes[4] = 1;
  EXPECT_EQ(refusal(bytes), "not a 64-bit little-endian ELF file");
  bytes[4] = 2;
  bytes[5] = 2;
  EXPECT_EQ(refusal(bytes), "not a 64-bit little-endian ELF file");
  EXPECT_EQ(refusal(std::string(64, 'x')), "not an ELF file");
}

}  // namespace
}  // namespace firstfault
