// Multi-line words of PyTorch, faulthandler, py-spy and CUDA's tools as records.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "parser/read.h"
#include "support/no_matcher.h"
#include "support/support.h"

namespace firstfault {
namespace {

template <typename T>
std::vector<T> records(const std::string& text) {
  test::TempDir dir;
  dir.write("rank.log", text);
  ReadOptions options;
  options.threads = 1;
  const Facts facts = read_inputs({dir.path().string()}, test::NoMatcher(), options);
  std::vector<T> out;
  for (const SourceFacts& source : facts.sources) {
    for (const RecordItem& item : source.records) {
      if (const T* x = std::get_if<T>(&item.record)) out.push_back(*x);
    }
  }
  return out;
}

TEST(DesyncReport, TellsWhoStartedAndWhoLags) {
  const auto reports = records<DesyncReport>(
      "[rank3]:[E314 14:33:46.806098845 ProcessGroupNCCL.cpp:2495] Rank 3\n"
      "\t - [3] Timeout at collective: ALLREDUCE, #42\n"
      "\t - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:\n"
      "\t   - [1] joined but didn't finish collective #42 (count from 1)\n"
      "\t     [2] finished collective #41, but didn't join collective #42 (count from 1)\n"
      "\t - Snapshot of ranks' latest states:\n"
      "\t   #42 started ranks:\n"
      "\t     [0,1,3] started ALLREDUCE\n"
      "\t   #41 finished ranks:\n"
      "\t     [2] finished BROADCAST\n"
      "unrelated\n");
  ASSERT_EQ(reports.size(), 1u);
  const DesyncReport& r = reports.front();
  EXPECT_EQ(r.group_rank, 3);
  EXPECT_EQ(r.seq, 42);
  EXPECT_EQ(r.kind, OpKind::all_reduce);
  ASSERT_EQ(r.states.size(), 2u);
  EXPECT_EQ(r.states[0].ranks.str(), "0-1,3");
  EXPECT_FALSE(r.states[0].finished);
  EXPECT_EQ(r.states[1].seq, 41);
  EXPECT_EQ(r.states[1].op_type, "BROADCAST");
  EXPECT_TRUE(r.states[1].finished);
}

TEST(DesyncReport, TellsWhoNeverJoined) {
  const auto reports = records<DesyncReport>(
      "\t - [0] Timeout at collective: BROADCAST, #1\n"
      "\t - To our best knowledge, ranks [2,5] are the lagging ranks that caused this timeout. "
      "They "
      "never joined any collectives\n");
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].never_joined.str(), "2,5");
}

TEST(StackSnapshot, CrashGivesTheCurrentThreadNotTheOthers) {
  const auto stacks = records<StackSnapshot>(
      "Fatal Python error: Segmentation fault\n\n"
      "Thread 0x00007f01 (most recent call first):\n"
      "  File \"/lib/threading.py\", line 9 in wait\n\n"
      "Current thread 0x00007f00 [python3.14] (most recent call first):\n"
      "  File \"/work/ext.py\", line 17 in call\n"
      "  File \"/work/train.py\", line 30 in <module>\n\n"
      "Current thread's C stack trace (most recent call first):\n"
      "  Binary file \"/lib/libext.so\", at crash+0x9d [0x7f00]\n\n"
      "Extension modules: a, b (total: 13)\n");
  ASSERT_EQ(stacks.size(), 1u);
  EXPECT_EQ(stacks[0].trigger, "Fatal Python error: Segmentation fault");
  ASSERT_EQ(stacks[0].frames.size(), 2u);
  EXPECT_EQ(stacks[0].frames[0].function, "call");
  EXPECT_EQ(stacks[0].frames[1].line, 30);
}

TEST(StackSnapshot, TimedDumpGivesTheMainThreadWhichComesLast) {
  const auto stacks = records<StackSnapshot>(
      "Timeout (0:10:00)!\n"
      "Thread 0x00007f01 (most recent call first):\n"
      "  File \"/lib/threading.py\", line 9 in wait\n\n"
      "Thread 0x00007f00 (most recent call first):\n"
      "  File \"/work/train.py\", line 17 in load_batch\n");
  ASSERT_EQ(stacks.size(), 1u);
  ASSERT_EQ(stacks[0].frames.size(), 1u);
  EXPECT_EQ(stacks[0].frames[0].function, "load_batch");
}

TEST(StackSnapshot, PySpyGivesTheMainThreadAndThePid) {
  const auto stacks = records<StackSnapshot>(
      "Process 4242: python train.py\n"
      "Python v3.12.3 (/usr/bin/python3.12)\n\n"
      "Thread 4242 (active+gil): \"MainThread\"\n"
      "    wait (torch/cuda/streams.py:12)\n"
      "        Locals:\n"
      "            x: 3\n"
      "    cudaStreamSynchronize (libcudart.so)\n"
      "Thread 4250 (idle): \"Thread-1\"\n"
      "    run (threading.py:9)\n");
  ASSERT_EQ(stacks.size(), 1u);
  EXPECT_EQ(stacks[0].pid, 4242);
  ASSERT_EQ(stacks[0].frames.size(), 2u);
  EXPECT_EQ(stacks[0].frames[0].file, "torch/cuda/streams.py");
  EXPECT_EQ(stacks[0].frames[1].file, "libcudart.so");
}

TEST(StackSnapshot, ALogLineAboutAProcessIsNone) {
  EXPECT_TRUE(records<StackSnapshot>("Process 7: done\nnext\n").empty());
}

TEST(GpuException, CoreDumpProgressTellsKindAndPlace) {
  const auto found = records<GpuException>(
      "[14:33:46.480509] coredump: Detected an exception of type "
      "CUDBG_EXCEPTION_WARP_ILLEGAL_ADDRESS (14)\n"
      "[14:33:46.480516] coredump:   - Device: 0\n"
      "[14:33:46.480518] coredump:   - SM: 126\n"
      "[14:33:46.480524] coredump:   - PC 0x7f0de37a0110\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].exception, "Warp Illegal Address");
  EXPECT_EQ(found[0].sm, 126);
  EXPECT_EQ(found[0].pc, 0x7f0de37a0110u);
}

TEST(GpuException, DebuggerNamesTheFunction) {
  const auto found = records<GpuException>(
      "CUDA Exception: Warp Illegal Address\n"
      "The exception was triggered at PC 0x7f98877a0df0  deep(float*, long)  (k.cu:4)\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kernel, "deep(float*, long)");
  EXPECT_EQ(found[0].source, "k.cu:4");
}

TEST(CudaError, LogGivesStickyErrorsOnly) {
  const auto found = records<CudaError>(
      "[14:33:46.8][1][CUDA][E] Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuLaunchKernel\n"
      "[14:33:46.9][1][CUDA][E] Returning 719 (CUDA_ERROR_LAUNCH_FAILED) from cuCtxSynchronize\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, 719);
  EXPECT_EQ(found[0].api, "cuCtxSynchronize");
}

TEST(C10d, BlockingWaitIsATimeOut) {
  const auto found = records<WorkFailure>(
      "RuntimeError: Work WorkNCCL(SeqNum=42, OpType=ALLREDUCE, Timeout(ms)=600000) timed out in "
      "call to wait().\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].how, WorkFailure::How::blocking_wait);
  EXPECT_EQ(found[0].seq, 42);
}

TEST(C10d, CutFingerprintStillTellsTheReporter) {
  const auto found = records<FingerprintMismatch>(
      "RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running collective: "
      "CollectiveFingerPrint(SequenceNumber=21, OpType=BROADCAST, TensorShape=[1], TensorDty\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].reporter.group_rank, 1);
  EXPECT_EQ(found[0].reporter.seq, 21);
  EXPECT_EQ(found[0].other.group_rank, -1);
}

TEST(C10d, StoreKeyTellsWhoShouldHavePublished) {
  const auto found = records<StoreWait>(
      "torch.distributed.DistStoreError: wait timeout after 600000ms, keys: "
      "/default_pg/0//cpu//0/3\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].publisher, 3);
  EXPECT_EQ(found[0].timeout_ms, 600000);
}

TEST(Spawn, DeadChildIsAnExit) {
  const auto found = records<ProcessExit>(
      "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with signal "
      "SIGKILL\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].local_rank, 1);
  EXPECT_EQ(found[0].signal, "SIGKILL");
}

}  // namespace
}  // namespace firstfault
