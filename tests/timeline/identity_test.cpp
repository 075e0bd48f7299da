#include "timeline/identity.h"

#include <gtest/gtest.h>

#include "timeline/builder.h"
#include "timeline/join.h"

namespace firstfault::test {
namespace {

// tp1 = ranks 2 and 3: its "[Rank 1]" is global rank 3.
FactsBuilder two_groups() {
  FactsBuilder job;
  for (int r = 0; r < 4; ++r) {
    Log& log = job.log("/job/ranks/" + std::to_string(r) + "/stderr.log", {.path_rank = r});
    log.voice(
        {.host = "node-" + std::to_string(r), .pid = 100 + r, .global_rank = r, .path_rank = r});
    log.init(0xa, r % 2, 2, r < 2 ? 0x10 : 0x20);
  }
  return job;
}

TEST(Identity, group_rank_of_a_subgroup_is_not_taken_for_a_global_rank) {
  FactsBuilder job = two_groups();
  Log& log = job.log("/job/ranks/3/more.log", {.path_rank = 3});
  log.voice({.global_rank = 3, .path_rank = 3}).at(wall_at(1000, 1));
  WorkFailure failure;
  failure.how = WorkFailure::How::timeout;
  failure.group_rank = 1;
  failure.seq = 5;
  failure.kind = OpKind::all_reduce;
  GroupStatus status;
  status.pg_name = "2";
  status.pg_desc = "tp1";
  status.group_rank = 1;
  status.failed_seq = 5;
  status.last_enqueued = 5;
  status.last_completed = 4;
  log.says(failure).says(status);
  const Job out = join(job.facts());
  const Episode* e = find_episode(out.attempts[0], "echo.watchdog_timeout");
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->reporter.ranks.str(), "3");
  EXPECT_TRUE(e->about.ranks.empty());
  const Communicator* c = out.attempts[0].communicator(e->communicator);
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->members.str(), "2-3");
  EXPECT_EQ(c->pg_desc, "tp1");
  EXPECT_EQ(c->waiting.str(), "3");
}

TEST(Identity, communicators_of_two_ranks_are_no_world_of_two) {
  FactsBuilder job;
  // No word of any rank but NCCL's: tp pairs (0,1) (2,3), dp pairs (0,2) (1,3).
  for (int p = 0; p < 4; ++p) {
    Log& log = job.log("/job/nccl." + std::to_string(p) + ".log", {.kind = SourceKind::nccl_log});
    log.voice({.host = "node", .pid = 10 + p});
    log.init(0xa, p % 2, 2, p < 2 ? 0x1 : 0x2);
    log.init(0xb, p / 2, 2, p % 2 == 0 ? 0x3 : 0x4);
  }
  const Identity identity(job.facts());
  EXPECT_EQ(identity.world_size(), 4);
  EXPECT_EQ(identity.attempt_numbers().size(), 1u);
  for (std::uint32_t s = 0; s < 4; ++s) EXPECT_EQ(identity.voice(s, 0).rank, -1);
}

TEST(Identity, same_pid_on_two_hosts_stays_two_processes) {
  FactsBuilder job;
  for (int r = 0; r < 2; ++r) {
    Log& log = job.log("/job/" + std::to_string(r) + ".log");
    log.voice({.host = r == 0 ? "alpha" : "beta", .pid = 77});
    log.init(0xa, r, 2, 0x5);
  }
  Log& dmesg = job.log("/job/dmesg.beta", {.kind = SourceKind::kernel_log});
  dmesg.voice({.host = "beta"}).event("kernel.oom_kill", {{"pid", "77"}}, "Killed process 77");
  Log& unnamed = job.log("/job/dmesg.unnamed", {.kind = SourceKind::kernel_log});
  unnamed.voice({}).event("kernel.hung_task", {{"pid", "77"}}, "task 77 blocked");
  const Job out = join(job.facts());
  ASSERT_EQ(out.attempts[0].ranks.size(), 2u);
  EXPECT_EQ(out.attempts[0].ranks[0].host, "alpha");
  EXPECT_EQ(out.attempts[0].ranks[1].host, "beta");
  const Episode* kill = find_episode(out.attempts[0], "kernel.oom_kill");
  ASSERT_NE(kill, nullptr);
  EXPECT_EQ(kill->about.ranks.str(), "1");
  EXPECT_TRUE(kill->in_window);
  const Episode* hung = find_episode(out.attempts[0], "kernel.hung_task");
  ASSERT_NE(hung, nullptr);
  EXPECT_TRUE(hung->about.ranks.empty());
}

TEST(Identity, path_hint_that_contradicts_the_rank_s_own_word_loses_and_is_shown) {
  FactsBuilder job;
  Log& log = job.log("/job/ranks/3/stderr.log", {.path_rank = 3});
  log.voice({.global_rank = 2, .path_rank = 3}).event("app.nan");
  const Job out = join(job.facts());
  const Episode* e = find_episode(out.attempts[0], "app.nan");
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->about.ranks.str(), "2");
  ASSERT_EQ(out.conflicts.size(), 1u);
  EXPECT_NE(out.conflicts[0].what.find("says rank 3, its content rank 2"), std::string::npos);
}

TEST(Identity, number_in_a_path_alone_is_marked_as_a_guess) {
  FactsBuilder job;
  job.log("/job/ranks/1/stderr.log", {.path_rank = 1}).voice({.path_rank = 1}).event("app.nan");
  const Job guessed = join(job.facts());
  EXPECT_TRUE(find_episode(guessed.attempts[0], "app.nan")->joined_by_guess);
  // The same custom held for another rank of this job: no guess any more.
  job.log("/job/ranks/0/stderr.log", {.path_rank = 0}).voice({.global_rank = 0, .path_rank = 0});
  const Job confirmed = join(job.facts());
  EXPECT_FALSE(find_episode(confirmed.attempts[0], "app.nan")->joined_by_guess);
}

TEST(Identity, launchers_localhost_does_not_override_nccls_host) {
  FactsBuilder job;
  Log& log = job.log("/job/0.log");
  log.voice({.host = "gpu-node-1", .pid = 5}).init(0xa, 0, 2, 1);
  Log& other = job.log("/job/1.log");
  other.voice({.host = "gpu-node-2", .pid = 6}).init(0xa, 1, 2, 1);
  Log& launcher = job.log("/job/launcher.log", {.kind = SourceKind::launcher_log});
  ProcessExit exit;
  exit.pid = 6;
  exit.global_rank = exit.local_rank = 1;
  exit.code = 1;
  exit.host = "localhost";
  launcher.voice({.pid = 1, .agent = true}).says(exit);
  const Job out = join(job.facts());
  EXPECT_EQ(out.attempts[0].rank(1)->host, "gpu-node-2");
  ASSERT_EQ(out.hosts.size(), 2u);
  ASSERT_EQ(out.attempts[0].rank(1)->exits.size(), 1u);
}

TEST(Identity, peer_address_names_the_rank_only_where_one_rank_lives) {
  FactsBuilder job;
  for (int r = 0; r < 3; ++r) {
    Log& log = job.log("/job/" + std::to_string(r) + ".log");
    log.voice({.host = r == 2 ? "b" : "a", .pid = 50 + r});
    log.says(NetInterface{"eth0", r == 2 ? "10.0.0.2<0>" : "10.0.0.1<0>"});
    log.init(0xa, r, 3, 9);
    if (r == 0) {
      log.event("echo.peer_closed", {{"peer", "10.0.0.2<41662>"}}, "closed by 10.0.0.2<41662>");
      log.event("net.socket_connect", {{"peer", "10.0.0.1<1>"}}, "refused");
      log.event("echo.remote_error", {{"peer", "localhost<46792>"}}, "remote");
    }
  }
  const Job out = join(job.facts());
  EXPECT_EQ(find_episode(out.attempts[0], "echo.peer_closed")->about.ranks.str(), "2");
  const Episode* shared = find_episode(out.attempts[0], "net.socket_connect");
  EXPECT_TRUE(shared->about.ranks.empty());
  EXPECT_EQ(shared->about.host, "a");
  const Episode* local = find_episode(out.attempts[0], "echo.remote_error");
  EXPECT_TRUE(local->about.ranks.empty());
  EXPECT_EQ(local->about.host, "");
  EXPECT_EQ(local->about.peer, "localhost<46792>");
}

TEST(Identity, launchers_other_pid_for_a_rank_is_kept_and_shown) {
  FactsBuilder job;
  for (int r = 0; r < 2; ++r) {
    Log& log = job.log("/job/" + std::to_string(r) + ".log");
    log.voice({.host = "n", .pid = 70 + r}).init(0xa, r, 2, 9);
  }
  ProcessExit exit;  // of the shell that started python
  exit.pid = 500;
  exit.global_rank = 1;
  exit.code = 1;
  exit.reported_by = "torchelastic";
  job.log("/job/launcher.log", {.kind = SourceKind::launcher_log})
      .voice({.pid = 1, .agent = true})
      .says(exit);
  const Facts facts = job.facts();
  const Identity identity(facts);
  EXPECT_EQ(identity.process(0, 1)->pids, (std::vector<std::int64_t>{71, 500}));
  EXPECT_EQ(identity.find(-1, 500, "", "")->rank, 1);
  ASSERT_EQ(identity.conflicts().size(), 1u);
  EXPECT_EQ(identity.conflicts()[0].what,
            "rank 1 is pid 500 by torchelastic, pid 71 by its own log");
}

TEST(Identity, dump_s_file_name_is_no_guess_only_if_its_groups_hold_that_rank) {
  for (bool member : {true, false}) {
    FactsBuilder job;
    Log& log =
        job.log("/job/nccl_trace_rank_3", {.kind = SourceKind::flight_recorder, .path_rank = 3});
    const RankSet members = member ? RankSet{2, 3} : RankSet{4, 5};
    add_op(log.dump(), "1", "tp", members, {.seq = 1, .created_s = 1});
    const Facts facts = job.facts();
    const Identity identity(facts);
    EXPECT_EQ(identity.voice(0, 0).rank, 3);
    EXPECT_EQ(identity.voice(0, 0).guess, !member);
  }
}

}  // namespace
}  // namespace firstfault::test
