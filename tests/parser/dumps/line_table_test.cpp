#include "parser/dumps/line_table.h"

#include <gtest/gtest.h>

#include "support/elf_builder.h"

namespace firstfault {
namespace {

using test::Row;

// Version 5 with one folder and two files whose names stand in ".debug_line_str".
std::string version_5() {
  std::string head("\x01\x01\x01\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1", 18);
  head += std::string("\x01\x01\x1f\x01\0\0\0\0", 8);                         // folders
  head += std::string("\x02\x01\x1f\x02\x0b\x02\0\0\0\0\0\x03\0\0\0\0", 16);  // files
  std::string program("\0\x09\x02", 3);
  program += Row().u64(0, 0x1000).bytes(8);
  program += std::string("\x04\x01\x03\x06\x01\x02\x40\0\x01\x01", 10);
  std::string unit = Row().u16(0, 5).text(2, std::string_view("\x08\0", 2)).bytes(4);
  unit += Row().u32(0, static_cast<std::uint32_t>(head.size())).bytes(4) + head + program;
  return Row().u32(0, static_cast<std::uint32_t>(unit.size())).bytes(4) + unit;
}

TEST(LineTable, VersionFiveNamesFilesByReference) {
  const std::string strings("/w\0k.cu\0", 8);
  const SourceLine line = find_line({version_5(), strings}, 0x1020);
  EXPECT_EQ(line.file, "k.cu");
  EXPECT_EQ(line.line, 7u);
  EXPECT_FALSE(find_line({version_5(), strings}, 0x1040).known()) << "behind the sequence";
  EXPECT_FALSE(find_line({version_5(), strings}, 0xfff).known());
  EXPECT_FALSE(find_line({version_5(), {}}, 0x1020).known());
}

TEST(LineTable, WorkIsLinearWhateverTheBytes) {
  const std::string good = version_5();
  std::uint32_t state = 7;
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = good + good;
    for (int k = 0; k < 3; ++k) {
      state = state * 1664525 + 1013904223;
      bytes[state % bytes.size()] = static_cast<char>(state >> 24);
    }
    std::uint64_t steps = 0;
    (void)find_line({bytes, bytes}, 0x1020, &steps);
    EXPECT_LE(steps, bytes.size());
  }
}

}  // namespace
}  // namespace firstfault
