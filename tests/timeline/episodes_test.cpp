#include "timeline/episodes.h"

#include <gtest/gtest.h>

#include <set>

#include "timeline/builder.h"
#include "timeline/join.h"

namespace firstfault::test {
namespace {

ExceptionReport raised(std::string type, std::string message) {
  ExceptionReport e;
  e.type = std::move(type);
  e.message = std::move(message);
  e.frames = {{"main", "/work/train.py", 30}};
  return e;
}

ProcessExit exited(std::int64_t pid, std::int32_t rank, std::optional<std::int32_t> code,
                   std::string signal) {
  ProcessExit e;
  e.pid = pid;
  e.global_rank = e.local_rank = rank;
  e.code = code;
  e.signal = std::move(signal);
  e.reported_by = "torchelastic";
  return e;
}

// Two ranks with pids 10 and 11, and a launcher.
struct Pair {
  FactsBuilder job;
  Log* rank[2];
  Log* launcher;
  Pair() {
    for (int r = 0; r < 2; ++r) {
      rank[r] = &job.log("/job/ranks/" + std::to_string(r) + "/err.log", {.path_rank = r});
      rank[r]->voice({.host = "n", .pid = 10 + r, .global_rank = r, .path_rank = r});
      rank[r]->at(wall_at(1000)).init(0xa, r, 2, 1);
    }
    launcher = &job.log("/job/launcher.log", {.kind = SourceKind::launcher_log});
    launcher->voice({.pid = 1, .agent = true}).at(wall_at(1010));
  }
  Attempt attempt() { return join(job.facts()).attempts.at(0); }
};

std::size_t count(const Attempt& a, std::string_view cls) {
  std::size_t n = 0;
  for (const Episode& e : a.episodes) n += e.cls == cls;
  return n;
}

TEST(Episodes, line_that_the_launcher_tees_counts_once_and_is_quoted_twice) {
  Pair p;
  p.rank[1]->event("echo.peer_closed", {{"peer", "localhost<1>"}}, "Connection closed", 2);
  p.launcher->voice({.global_rank = 1, .local_rank = 1});
  p.launcher->event("echo.peer_closed", {{"peer", "localhost<1>"}}, "[default1]:Connection closed",
                    2);
  const Attempt a = p.attempt();
  ASSERT_EQ(count(a, "echo.peer_closed"), 1u);
  const Episode* e = find_episode(a, "echo.peer_closed");
  EXPECT_EQ(e->count, 2u);
  ASSERT_GE(e->evidence.size(), 2u);
  EXPECT_NE(e->evidence[0].source, e->evidence[1].source);
}

TEST(Episodes, traceback_error_json_and_launcher_block_are_one_exception) {
  Pair p;
  p.rank[1]->says(raised("ValueError", "batch 4 has 0 tokens"), "ValueError: batch 4 has 0 tokens");
  Log& json =
      p.job.log("/job/ranks/1/error.json", {.kind = SourceKind::error_json, .path_rank = 1});
  json.voice({.path_rank = 1}).says(raised("", "ValueError: batch 4 has 0 tokens"));
  p.launcher->says(exited(11, 1, 1, ""));
  p.launcher->says(raised("ValueError", "batch 4 has 0 tokens"));
  p.launcher->says(
      raised("torch.distributed.elastic.multiprocessing.errors.ChildFailedError", "x"));
  const Attempt a = p.attempt();
  ASSERT_EQ(count(a, "app.exception"), 1u);
  EXPECT_EQ(find_episode(a, "app.exception")->about.ranks.str(), "1");
  EXPECT_EQ(find_episode(a, "app.exception")->evidence.size(), 3u);
  EXPECT_EQ(count(a, "app.exit_nonzero"), 0u) << "the exception says why";
}

TEST(Episodes, exception_that_only_passes_on_an_event_is_no_second_fault) {
  Pair p;
  p.rank[1]->event("cuda.out_of_memory", {}, "torch.OutOfMemoryError: CUDA out of memory. Tried");
  p.rank[1]->says(raised("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate 9 GiB"));
  const Attempt a = p.attempt();
  EXPECT_EQ(count(a, "app.exception"), 0u);
  ASSERT_EQ(count(a, "cuda.out_of_memory"), 1u);
  EXPECT_EQ(find_episode(a, "cuda.out_of_memory")->evidence.size(), 2u);
}

TEST(Episodes, exception_beside_an_unrelated_event_stays_a_fault) {
  Pair p;
  p.rank[1]->event("env.config", {}, "something quite different happened here");
  p.rank[1]->says(raised("KeyError", "'token_type_ids'"));
  EXPECT_EQ(count(p.attempt(), "app.exception"), 1u);
}

TEST(Episodes, process_that_the_launcher_ended_is_not_killed_from_outside) {
  Pair p;
  SignalSent term;
  term.pid = 10;
  term.signal = "SIGTERM";
  p.launcher->says(term);
  p.launcher->says(exited(10, 0, std::nullopt, "SIGTERM"));
  p.launcher->says(exited(11, 1, std::nullopt, "SIGKILL"));
  const Attempt a = p.attempt();
  ASSERT_EQ(count(a, "app.killed"), 1u);
  EXPECT_EQ(find_episode(a, "app.killed")->about.ranks.str(), "1");
  EXPECT_EQ(count(a, "echo.terminated_by_launcher"), 1u) << "signal and exit are one";
  EXPECT_EQ(find_episode(a, "echo.terminated_by_launcher")->about.ranks.str(), "0");
}

TEST(Episodes, abort_that_the_ranks_own_log_explains_is_its_teardown) {
  Pair p;
  p.rank[1]->event("cuda.illegal_memory_access", {}, "CUDA error");
  p.launcher->says(exited(11, 1, std::nullopt, "SIGABRT"));
  p.launcher->says(exited(10, 0, 134, ""));
  const Attempt a = p.attempt();
  ASSERT_NE(find_episode(a, "echo.teardown"), nullptr);
  EXPECT_EQ(find_episode(a, "echo.teardown")->about.ranks.str(), "1");
  ASSERT_NE(find_episode(a, "app.segfault"), nullptr);
  EXPECT_EQ(find_episode(a, "app.segfault")->about.ranks.str(), "0");
}

TEST(Episodes, fingerprint_votes_name_the_odd_rank_not_the_reporter) {
  FactsBuilder job;
  for (int r = 0; r < 4; ++r) {
    Log& log = job.log("/job/ranks/" + std::to_string(r) + "/err.log", {.path_rank = r});
    log.voice({.global_rank = r, .path_rank = r});
    auto side = [](int rank) {
      FingerprintMismatch::Side s;
      s.group_rank = rank;
      s.seq = 9;
      s.kind = rank == 2 ? OpKind::all_gather : OpKind::all_reduce;
      s.op_type = rank == 2 ? "ALLGATHER" : "ALLREDUCE";
      return s;
    };
    FingerprintMismatch fp;
    fp.reporter = side(r);
    fp.other = side(r == 2 ? 0 : 2);
    log.says(fp).says(raised("RuntimeError", "Detected mismatch between collectives on ranks."));
  }
  const Attempt a = join(job.facts()).attempts.at(0);
  ASSERT_EQ(count(a, "coll.fingerprint_mismatch"), 1u);
  EXPECT_EQ(find_episode(a, "coll.fingerprint_mismatch")->about.ranks.str(), "2");
  EXPECT_EQ(find_episode(a, "coll.fingerprint_mismatch")->reporter.ranks.str(), "0-3");
  EXPECT_EQ(count(a, "app.exception"), 0u);
  ASSERT_EQ(a.communicators.size(), 1u);
  EXPECT_EQ(a.communicators[0].slots.at(0).cells.at(2).signature.kind, OpKind::all_gather);
}

TEST(Episodes, two_ranks_that_contradict_each_other_are_both_accused) {
  Pair p;
  FingerprintMismatch fp;
  fp.reporter.group_rank = 0;
  fp.reporter.seq = 3;
  fp.reporter.kind = OpKind::all_reduce;
  fp.other = fp.reporter;
  fp.other.group_rank = 1;
  fp.other.kind = OpKind::broadcast;
  p.rank[0]->says(fp);
  EXPECT_EQ(find_episode(p.attempt(), "coll.fingerprint_mismatch")->about.ranks.str(), "0-1");
}

TEST(Episodes, store_wait_is_about_the_rank_that_never_published) {
  Pair p;
  StoreWait wait;
  wait.waiter = 1;
  wait.publisher = 0;
  wait.key = "/default_pg/0//2//cuda//0";
  wait.pg_name = "2";
  p.rank[1]->says(wait);
  const Attempt a = p.attempt();
  const Episode* e = find_episode(a, "echo.store_wait");
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->reporter.ranks.str(), "1");
  EXPECT_EQ(e->about.ranks.str(), "0");
  ASSERT_NE(a.communicator(e->communicator), nullptr);
  EXPECT_EQ(a.communicator(e->communicator)->pg_name, "2");
}

TEST(Episodes, record_and_event_of_one_line_are_one_episode) {
  Pair p;
  p.rank[1]->says(BarrierReport{1, {}, 5000});
  p.rank[1]->facts().events.emplace_back();
  EventItem& twin = p.rank[1]->facts().events.back();
  static_cast<Item&>(twin) = p.rank[1]->facts().records.back();
  twin.event.cls = "echo.barrier_reached";
  EXPECT_EQ(count(p.attempt(), "echo.barrier_reached"), 1u);
}

TEST(Episodes, watchdog_line_that_prints_another_groups_rank_follows_its_state_line) {
  Pair p;
  auto give_up = [&](std::string pg, std::string desc, std::int32_t status_rank) {
    WorkFailure failure;
    failure.group_rank = 0;  // the watchdog's first group, for both lines
    failure.seq = 5;
    failure.kind = OpKind::all_reduce;
    GroupStatus status;
    status.pg_name = std::move(pg);
    status.pg_desc = std::move(desc);
    status.group_rank = status_rank;
    status.failed_seq = status.last_enqueued = 5;
    p.rank[1]->says(failure).says(status);
  };
  give_up("2", "tp1", 0);
  give_up("0", "default_pg", 1);
  const Attempt a = p.attempt();
  ASSERT_EQ(count(a, "echo.watchdog_timeout"), 2u);
  std::set<std::string> descs;
  for (const Episode& e : a.episodes) {
    if (e.cls != "echo.watchdog_timeout") continue;
    ASSERT_NE(a.communicator(e.communicator), nullptr);
    descs.insert(a.communicator(e.communicator)->pg_desc);
  }
  EXPECT_EQ(descs, (std::set<std::string>{"default_pg", "tp1"}));
}

TEST(Episodes, copy_in_a_file_without_surroundings_joins_the_one_with_a_communicator) {
  Pair p;
  WorkFailure failure;
  failure.how = WorkFailure::How::exception;
  failure.group_rank = 1;
  failure.seq = 5;
  GroupStatus status;
  status.pg_name = "0";
  status.group_rank = 1;
  status.failed_seq = 5;
  p.rank[1]->says(failure).event("echo.peer_closed", {}, "Connection closed").says(status);
  Log& other = p.job.log("/job/nccl.n.11.log", {.kind = SourceKind::nccl_log});
  other.voice({.host = "n", .pid = 11}).event("echo.peer_closed", {}, "Connection closed");
  const Attempt a = p.attempt();
  ASSERT_EQ(count(a, "echo.peer_closed"), 1u);
  EXPECT_EQ(find_episode(a, "echo.peer_closed")->seq, 5);
  EXPECT_EQ(find_episode(a, "echo.peer_closed")->evidence.size(), 2u);
  EXPECT_EQ(count(a, "echo.remote_error"), 0u) << "the event in its lines says more";
}

TEST(Episodes, repeated_xid_that_the_catalogue_folded_is_not_told_again_by_its_records) {
  Pair p;
  Log& dmesg = p.job.log("/job/dmesg", {.kind = SourceKind::kernel_log});
  dmesg.voice({.host = "n"});
  GpuKernelFault xid;
  xid.number = 13;
  xid.pci = "0000:17:00.0";
  for (int i = 0; i < 3; ++i) dmesg.says(xid);
  SourceFacts& facts = dmesg.facts();
  facts.events.emplace_back();
  EventItem& event = facts.events.back();
  static_cast<Item&>(event) = facts.records.front();
  event.last_quote = facts.records.back().quote;
  event.count = 3;
  event.event.cls = "kernel.xid_application";
  event.event.captures = {{"xid", "13"}, {"pci", "0000:17:00"}};
  const Attempt a = p.attempt();
  ASSERT_EQ(count(a, "kernel.xid_application"), 1u);
  EXPECT_EQ(find_episode(a, "kernel.xid_application")->count, 3u);
  EXPECT_EQ(find_episode(a, "kernel.xid_application")->about.ranks.str(), "0-1") << "both share it";
}

TEST(Episodes, single_program_is_told_from_older_jobs_by_the_pid_of_its_dump) {
  FactsBuilder job;
  GpuException exception;
  exception.exception = "Warp Illegal Address";
  exception.pid = 2062;
  job.log("/job/core", {.kind = SourceKind::gpu_core}).voice({}).says(exception);
  Log& dmesg = job.log("/job/dmesg", {.kind = SourceKind::kernel_log});
  dmesg.voice({}).at(boot_at(5)).event("kernel.xid_application", {{"pid", "1794"}});
  dmesg.event("kernel.xid_application", {{"pid", "2062"}});
  const Attempt a = join(job.facts()).attempts.at(0);
  ASSERT_EQ(count(a, "kernel.xid_application"), 2u);
  for (const Episode& e : a.episodes) {
    if (e.cls == "kernel.xid_application") {
      EXPECT_EQ(e.in_window, e.about.pid == 2062);
    }
  }
}

TEST(Episodes, number_of_a_gpu_exception_decides_what_it_is_evidence_for) {
  const struct {
    std::int32_t code;
    const char* cls;
  } kCases[] = {{-1, "gpu.exception_dump"},   {14, "gpu.exception_dump"},
                {12, "gpu.exception_assert"}, {0, "gpu.exception_launch"},
                {4, "gpu.exception_launch"},  {32, "gpu.exception_poison"}};
  for (const auto& c : kCases) {
    FactsBuilder job;
    GpuException exception;
    exception.exception = "x";
    exception.code = c.code;
    job.log("/job/core", {.kind = SourceKind::gpu_core}).voice({}).says(exception);
    EXPECT_EQ(count(join(job.facts()).attempts.at(0), c.cls), 1u) << c.code;
  }
}

TEST(Episodes, core_of_a_process_is_a_crash_unless_it_was_taken_on_demand) {
  for (const char* signal : {"SIGSEGV", "SIGABRT", "SIGQUIT", ""}) {
    FactsBuilder job;
    ProcessCore core;
    core.pid = 4242;
    core.signal = signal;
    job.log("/job/core", {.kind = SourceKind::host_core}).voice({}).says(core);
    job.log("/job/rank.log", {}).voice({}).event("app.exception", {});
    const bool crash =
        std::string_view(signal) == "SIGSEGV" || std::string_view(signal) == "SIGABRT";
    EXPECT_EQ(count(join(job.facts()).attempts.at(0), "app.segfault"), crash ? 1u : 0u) << signal;
  }
}

TEST(Episodes, xid_with_a_pid_of_another_namespace_is_joined_by_its_gpu_as_a_guess) {
  Pair p;  // in containers NCCL prints other pids than the kernel
  Log& dmesg = p.job.log("/job/dmesg", {.kind = SourceKind::kernel_log});
  dmesg.voice({.host = "n"}).at(boot_at(5));
  dmesg.event("kernel.xid_bus", {{"pid", "99999"}, {"pci", "0000:17:00"}});
  const Episode e = *find_episode(p.attempt(), "kernel.xid_bus");
  EXPECT_TRUE(e.in_window);
  EXPECT_TRUE(e.joined_by_guess);
}

TEST(Join, order_of_reading_changes_nothing) {
  Pair p;
  p.rank[1]->event("echo.peer_closed", {{"peer", "10.0.0.9<1>"}});
  p.launcher->says(exited(11, 1, 1, ""));
  const Job a = join(p.job.facts()), b = join(p.job.reversed());
  ASSERT_EQ(a.sources.size(), b.sources.size());
  for (std::size_t i = 0; i < a.sources.size(); ++i)
    EXPECT_EQ(a.sources[i].file, b.sources[i].file);
  ASSERT_EQ(a.attempts[0].episodes.size(), b.attempts[0].episodes.size());
  for (std::size_t i = 0; i < a.attempts[0].episodes.size(); ++i) {
    EXPECT_EQ(a.attempts[0].episodes[i].cls, b.attempts[0].episodes[i].cls);
    EXPECT_EQ(a.attempts[0].episodes[i].evidence, b.attempts[0].episodes[i].evidence);
  }
}

TEST(Join, nothing_at_all_still_is_one_attempt) {
  const Job out = join(Facts{});
  ASSERT_EQ(out.attempts.size(), 1u);
  EXPECT_FALSE(out.attempts[0].ended_well);
}

TEST(Join, good_end_needs_a_word_of_every_rank) {
  Pair p;
  p.rank[0]->says(OrderlyExit{"closing"});
  EXPECT_FALSE(p.attempt().ended_well);
  p.rank[1]->says(OrderlyExit{"closing"});
  EXPECT_TRUE(p.attempt().ended_well);
  p.launcher->says(exited(11, 1, 1, ""));
  EXPECT_FALSE(p.attempt().ended_well);
}

}  // namespace
}  // namespace firstfault::test
