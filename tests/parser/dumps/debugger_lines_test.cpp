#include "parser/dumps/debugger_lines.h"

#include <gtest/gtest.h>

#include "parser/read.h"
#include "support/no_matcher.h"
#include "support/support.h"

namespace firstfault {
namespace {

std::vector<GpuException> read(const std::filesystem::path& path) {
  ReadOptions options;
  options.threads = 1;
  const Facts facts = read_inputs({path.string()}, test::NoMatcher(), options);
  std::vector<GpuException> out;
  for (const SourceFacts& s : facts.sources) {
    for (const RecordItem& item : s.records) {
      if (const auto* e = std::get_if<GpuException>(&item.record)) out.push_back(*e);
    }
  }
  return out;
}

TEST(DebuggerLines, RecordedSessionGivesOneExceptionForEachDump) {
  const std::vector<GpuException> all = read(test::source_path("samples/gpu_core/cuda-gdb.txt"));
  ASSERT_EQ(all.size(), 5u);
  // cuda-gdb aborted itself behind the exception of the first one.
  EXPECT_EQ(all[0].exception, "Warp Illegal Address");
  EXPECT_EQ(all[0].pc, 0x7f0de37a0110u);
  EXPECT_EQ(all[0].kernel, "oob_kernel(float*, long)");
  EXPECT_EQ(all[0].function, "deep(float*, long)");
  EXPECT_EQ(all[0].source, "c.cu:4");
  EXPECT_EQ(all[1].code, 12);
  EXPECT_EQ(all[1].kernel, "assert_kernel");
  EXPECT_EQ(all[1].source, "c.cu:6");
  EXPECT_EQ(all[1].block, "(0,0,0)");
  EXPECT_EQ(all[3].code, 0) << "a trap";
  EXPECT_EQ(all[3].thread, "(3,0,0)");
  EXPECT_EQ(all[4].code, 14);
  EXPECT_EQ(all[4].kernel, "oob_kernel");
  EXPECT_EQ(all[4].pc, 0x7f98877a0df0u);
  EXPECT_EQ(all[4].sm, 126);
}

TEST(DebuggerLines, ProgressOfTheDriverIsEnoughWhenTheDumpIsLost) {
  test::TempDir dir;
  const auto path = dir.write("run.log",
                              "[14:33:46.479341] coredump: Starting GPU coredump generation\n"
                              "[14:33:46.480509] coredump: Detected an exception of type "
                              "CUDBG_EXCEPTION_WARP_ILLEGAL_ADDRESS (14)\n"
                              "[14:33:46.480516] coredump:   - Device: 0\n"
                              "[14:33:46.480518] coredump:   - SM: 126\n"
                              "[14:33:46.480521] coredump:   - Warp: exception was detected after "
                              "the warp has exited\n"
                              "[14:33:46.480524] coredump:   - PC 0x7f0de37a0110\n");
  const std::vector<GpuException> all = read(path);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].exception, "Warp Illegal Address");
  EXPECT_EQ(all[0].sm, 126);
  EXPECT_EQ(all[0].pc, 0x7f0de37a0110u);
}

TEST(DebuggerLines, LiveSessionSaysItTwiceAndIsOneException) {
  test::TempDir dir;
  const auto path = dir.write(
      "gdb.log",
      "CUDA Exception: Warp Illegal Address\n"
      "The exception was triggered at PC 0x7f10  kern(float*)  (k.cu:4)\n\n"
      "Thread 1 \"app\" received signal CUDA_EXCEPTION_14, Warp Illegal Address.\n"
      "[Switching focus to CUDA kernel 0, grid 1, block (1,0,0), thread (5,0,0), device 0, sm 2, "
      "warp 0, lane 5]\n");
  const std::vector<GpuException> all = read(path);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kernel, "kern(float*)");
  EXPECT_EQ(all[0].thread, "(5,0,0)");
  EXPECT_EQ(all[0].code, 14);
}

}  // namespace
}  // namespace firstfault
