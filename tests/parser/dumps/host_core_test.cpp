#include "parser/dumps/host_core.h"

#include <gtest/gtest.h>

#include <fstream>

#include "parser/read.h"
#include "support/elf_builder.h"
#include "support/no_matcher.h"
#include "support/packed.h"
#include "support/support.h"

namespace firstfault {
namespace {

using test::host_core;

ReadOptions one_thread() {
  ReadOptions options;
  options.threads = 1;
  return options;
}

ProcessCore read(const std::string& bytes) {
  const Result<HostCore> core = read_host_core(MemoryBytes(bytes));
  EXPECT_TRUE(core) << core.error().message;
  return core ? std::get<ProcessCore>(core->item.record) : ProcessCore{};
}

TEST(HostCore, SaysHowTheProcessDied) {
  const ProcessCore core = read(host_core());
  EXPECT_EQ(core.pid, 4242);
  EXPECT_EQ(core.process, "python3");
  EXPECT_EQ(core.command, "python3 train.py");
  EXPECT_EQ(core.signal, "SIGSEGV");
  EXPECT_EQ(core.address, 0x10u);
  EXPECT_EQ(core.where, "libnccl.so.2.28.9+0x3234");
  EXPECT_EQ(core.libraries, std::vector<std::string>{"/usr/lib/libnccl.so.2.28.9"});
}

TEST(HostCore, AbortHasNoFaultAddress) {
  const ProcessCore core = read(host_core({.signal = 6, .code = -6, .address = 4242}));
  EXPECT_EQ(core.signal, "SIGABRT");
  EXPECT_FALSE(core.address);
}

TEST(HostCore, OnlyTheNotesAreRead) {
  const std::string bytes = host_core({.memory = 8 << 20});
  const Result<HostCore> core = read_host_core(MemoryBytes(bytes));
  ASSERT_TRUE(core);
  EXPECT_LT(core->work.bytes, 2048u);
  EXPECT_LT(host_core_front(MemoryBytes(bytes)), 2048u);
}

TEST(HostCore, CoreOfAHundredGigabytesIsReadInPlace) {
  test::TempDir dir;
  const auto path = dir.write("core.4242", host_core());
  std::filesystem::resize_file(path, 100ull << 30);  // a hole
  const Facts facts = read_inputs({path.string()}, test::NoMatcher(), one_thread());
  ASSERT_EQ(facts.sources.size(), 1u);
  EXPECT_EQ(facts.sources[0].info.bytes, 100ull << 30);
  EXPECT_EQ(std::get<ProcessCore>(facts.sources[0].records.at(0).record).signal, "SIGSEGV");
}

TEST(HostCore, CompressedCoreIsReadUpToItsNotes) {
  test::TempDir dir;
  const std::string bytes = host_core({.memory = 8 << 20});
  const std::string packed = test::compress(bytes, "zstd");
  dir.write("core.python3.zst", packed);
  dir.write("cut.zst", packed.substr(0, packed.size() / 2));
  const Facts facts = read_inputs({dir.path().string()}, test::NoMatcher(), one_thread());
  ASSERT_EQ(facts.sources.size(), 2u);
  for (const SourceFacts& s : facts.sources) {
    EXPECT_LT(s.info.bytes, 2u << 20) << s.info.path;
    EXPECT_EQ(std::get<ProcessCore>(s.records.at(0).record).pid, 4242);
  }
  EXPECT_EQ(facts.sources[0].info.content_hash, facts.sources[1].info.content_hash);
}

TEST(HostCore, CutAndDamagedCoresAreRefusedOrReadInPart) {
  const std::string good = host_core();
  for (std::size_t cut = 0; cut < good.size(); cut += 3) {
    (void)read_host_core(MemoryBytes(good.substr(0, cut)));
  }
  EXPECT_FALSE(read_host_core(MemoryBytes(good.substr(0, 100))));
  EXPECT_EQ(read(good.substr(0, 900)).signal, "SIGSEGV") << "cut behind the first notes";
}

TEST(HostCore, ProgramsAndLibrariesAreNotCores) {
  const Result<HostCore> core = read_host_core(MemoryBytes(test::cubin("kernel", 0x1000, 64)));
  ASSERT_FALSE(core);
  EXPECT_EQ(core.error().message, "ELF file, not a core dump");
}

}  // namespace
}  // namespace firstfault
