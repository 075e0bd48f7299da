#include "parser/dumps/gpu_core.h"

#include <gtest/gtest.h>

#include "parser/dumps/gpu_images.h"
#include "parser/read.h"
#include "support/elf_builder.h"
#include "support/no_matcher.h"
#include "support/packed.h"
#include "support/support.h"

namespace firstfault {
namespace {

using test::gpu_core;

ReadOptions one_thread() {
  ReadOptions options;
  options.threads = 1;
  return options;
}

GpuException first(const std::string& bytes) {
  const Result<GpuCore> core =
      read_gpu_core(MemoryBytes(bytes), "core_1796096904_node-1_2062.nvcudmp");
  EXPECT_TRUE(core) << core.error().message;
  if (!core || core->items.empty()) return {};
  return std::get<GpuException>(core->items[0].record);
}

GpuException recorded(const char* path) {
  const Facts facts =
      read_inputs({test::source_path(path).string()}, test::NoMatcher(), one_thread());
  EXPECT_EQ(facts.sources.size(), 1u);
  if (facts.sources.empty() || facts.sources[0].records.empty()) return {};
  EXPECT_EQ(facts.sources[0].records.size(), 1u);
  return std::get<GpuException>(facts.sources[0].records[0].record);
}

// samples/recorded/gpu_core/expected-cuda-gdb.txt
TEST(GpuCore, SaysWhatCudaGdbSaysOfAnIllegalAddress) {
  const GpuException e = recorded("samples/recorded/gpu_core/logs/core_gpu-node-1_2062.nvcudmp.xz");
  EXPECT_EQ(e.exception, "Warp Illegal Address");
  EXPECT_EQ(e.pc, 0x7fb83f7a00f0u);
  EXPECT_EQ(e.kernel, "gather_rows(float const*, int const*, float*, int)");
  EXPECT_EQ(e.source, "bad.cu:4");
  EXPECT_EQ(e.block, "(1,0,0)");
  EXPECT_EQ(e.thread, "(64,0,0)");
  EXPECT_EQ(e.device, 0);
  EXPECT_EQ(e.sm, 126);
  EXPECT_EQ(e.warp, 2);
  EXPECT_EQ(e.lane, 0);
  EXPECT_EQ(e.pid, 2062);
  EXPECT_EQ(e.pci, "0000:00:06.0");
}

// samples/gpu_core/cuda-gdb.txt, "core/flags_o"
TEST(GpuCore, NamesTheDeviceFunctionBesideTheKernel) {
  const GpuException e = recorded("samples/gpu_core/small-flags.nvcudmp.xz");
  EXPECT_EQ(e.exception, "Warp Illegal Address");
  EXPECT_EQ(e.pc, 0x7f98877a0df0u);
  EXPECT_EQ(e.kernel, "oob_kernel(float*, long)");
  EXPECT_EQ(e.function, "deep(float*, long)");
  EXPECT_EQ(e.source, "c.cu:4");
  EXPECT_EQ(e.block, "(1,0,0)");
  EXPECT_EQ(e.thread, "(0,0,0)");
  EXPECT_EQ(e.sm, 126);
  EXPECT_EQ(e.warp, 0);
}

TEST(GpuCore, MadeDumpIsReadLikeARecordedOne) {
  const GpuException e = first(gpu_core());
  EXPECT_EQ(e.exception, "Warp Illegal Address");
  EXPECT_EQ(e.code, 14);
  EXPECT_EQ(e.pc, 0x7f00000010f0u);
  EXPECT_EQ(e.kernel, "gather_rows(float const*, int)");
  EXPECT_EQ(e.source, "bad.cu:3");
  EXPECT_EQ(e.block, "(1,0,0)");
  EXPECT_EQ(e.thread, "(65,0,0)");
  EXPECT_EQ(e.warp, 2);
  EXPECT_EQ(e.lane, 1);
  EXPECT_EQ(e.pid, 2062);
  EXPECT_EQ(e.pci, "0000:17:00.0");
}

TEST(GpuCore, WarpsThatExitedLeaveKernelAndAddress) {
  // cuda-gdb 13.0 itself aborts on such a dump.
  const GpuException e = first(gpu_core({.warps_left = false}));
  EXPECT_EQ(e.exception, "Warp Illegal Address");
  EXPECT_EQ(e.kernel, "gather_rows(float const*, int)");
  EXPECT_EQ(e.source, "bad.cu:3");
  EXPECT_EQ(e.block, "");
  EXPECT_EQ(e.thread, "");
}

TEST(GpuCore, AssertIsNotedByLanesOnly) {
  const GpuException e = first(gpu_core({.sm_exception = 0, .lane_exception = 12}));
  EXPECT_EQ(e.exception, "Warp Assert");
  EXPECT_EQ(e.pc, 0x7f0000001110u);
  EXPECT_EQ(e.source, "bad.cu:4");
  EXPECT_EQ(e.thread, "(65,0,0)");
}

TEST(GpuCore, TrapIsAStoppedWarpWithoutAnException) {
  const GpuException e = first(gpu_core({.sm_exception = 0, .lane_exception = 0, .broken = true}));
  EXPECT_EQ(e.exception, "Trace/breakpoint trap");
  EXPECT_EQ(e.code, 0);
  EXPECT_EQ(e.thread, "(65,0,0)") << "the active lane";
}

TEST(GpuCore, DumpOnDemandHasNoException) {
  const Result<GpuCore> core =
      read_gpu_core(MemoryBytes(gpu_core({.sm_exception = 0, .lane_exception = 0})), "x.nvcudmp");
  ASSERT_TRUE(core);
  EXPECT_TRUE(core->items.empty());
}

TEST(GpuCore, PidComesFromTheNameOnlyIfALaunchingThreadBearsItOut) {
  const std::string bytes = gpu_core();
  const auto speaker = [&](const char* name) {
    return read_gpu_core(MemoryBytes(bytes), name)->speaker;
  };
  EXPECT_EQ(speaker("core_1796096904_node-1_2062.nvcudmp").host, "node-1");
  EXPECT_EQ(speaker("a/gpu.2062.nvcudmp.xz").pid, 2062);
  EXPECT_EQ(speaker("a/gpu.2062.nvcudmp.xz").host, "");
  EXPECT_EQ(speaker("core_rank_3.nvcudmp").pid, -1) << "a rank";
  EXPECT_EQ(speaker("core_9999.nvcudmp").pid, -1);
  EXPECT_EQ(speaker("core.nvcudmp").pid, -1);
}

TEST(GpuCore, EveryCutOfADumpIsRefused) {
  const std::string bytes = gpu_core();
  for (std::size_t cut = 0; cut < bytes.size(); cut += 13) {
    EXPECT_FALSE(read_gpu_core(MemoryBytes(bytes.substr(0, cut)), "x")) << cut;
  }
}

TEST(GpuCore, ManyFaultsCostOneLookEach) {
  // Every SM of a table of 4,096 claims another exception, and no block is alive.
  test::GpuCoreSpec spec;
  spec.warps_left = false;
  spec.sms = 4096;
  std::string bytes = gpu_core(spec);
  const std::string row = test::Row().u32(0, 4095).u32(8, 14).bytes(12);
  const std::size_t last = bytes.find(row);
  ASSERT_NE(last, std::string::npos);
  for (std::uint32_t i = 0; i < 4095; ++i)
    bytes = test::with_u32(std::move(bytes), last - (4095 - i) * 48 + 8, 1000 + i);
  const Result<GpuCore> core = read_gpu_core(MemoryBytes(bytes), "x");
  ASSERT_TRUE(core);
  EXPECT_EQ(core->items.size(), 16u);
  EXPECT_LT(core->work.bytes, 2 * bytes.size());
}

TEST(GpuCore, DamageCostsNoMoreThanTheFile) {
  const std::string good = gpu_core({.sms = 160});
  std::uint32_t state = 1;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 4; ++k) {
      state = state * 1664525 + 1013904223;
      bytes[state % bytes.size()] = static_cast<char>(state >> 24);
    }
    const Result<GpuCore> core = read_gpu_core(MemoryBytes(bytes), "x");
    if (!core) continue;
    EXPECT_LE(core->items.size(), 16u);
    EXPECT_LE(core->work.bytes, 40 * bytes.size());
  }
}

TEST(ReadableName, UnfoldsWhatIsSmallAndCutsWhatWouldExplode) {
  EXPECT_EQ(readable_name("_Z4deepPfl"), "deep(float*, long)");
  EXPECT_EQ(readable_name("triton_poi_fused_0d1d"), "triton_poi_fused_0d1d");
  EXPECT_EQ(readable_name("_Zgarbage"), "_Zgarbage");
  // pair<pair<pair<...>>>: each level doubles the name.
  std::string bomb = "_ZN2at6kernelI";
  for (int i = 0; i < 60; ++i) bomb += "4pairI";
  bomb += "1AS_";
  for (int i = 0; i < 60; ++i) bomb += "ES" + std::string(1, static_cast<char>('0' + i % 10)) + "_";
  EXPECT_EQ(readable_name(bomb), "at::kernel<...>");
}

}  // namespace
}  // namespace firstfault
