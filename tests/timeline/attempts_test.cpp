#include "timeline/attempts.h"

#include <gtest/gtest.h>

#include "timeline/builder.h"
#include "timeline/join.h"

namespace firstfault::test {
namespace {

SignalSent term(std::int64_t pid) {
  SignalSent s;
  s.pid = pid;
  s.signal = "SIGTERM";
  return s;
}

TEST(Attempts, restart_in_folders_keeps_the_first_failure_in_its_own_attempt) {
  FactsBuilder job;
  for (int a = 0; a < 2; ++a) {
    for (int r = 0; r < 2; ++r) {
      Log& log = job.log("/job/attempt_" + std::to_string(a) + "/" + std::to_string(r) + "/err.log",
                         {.attempt = a});
      log.voice(
          {.host = "n", .pid = 10 * (a + 1) + r, .global_rank = r, .local_rank = r, .attempt = a});
      log.at(wall_at(1000 + 100 * a)).init(0xa, r, 2, 7 + static_cast<unsigned>(a));
      if (a == 0 && r == 1) log.event("app.nan");
      if (a == 1) log.event("net.socket_connect");
      log.at(wall_at(1050 + 100 * a)).says(Progress{a});
    }
  }
  Log& launcher = job.log("/job/launcher.log", {.kind = SourceKind::launcher_log});
  SignalSent received;
  received.signal = "SIGTERM";
  received.received = true;
  launcher.voice({.pid = 1, .agent = true}).at(wall_at(1060)).says(term(10));
  launcher.at(wall_at(1170)).says(received).says(term(20));
  const Job out = join(job.facts());
  ASSERT_EQ(out.attempts.size(), 2u);
  EXPECT_NE(find_episode(out.attempts[0], "app.nan"), nullptr);
  EXPECT_EQ(find_episode(out.attempts[0], "net.socket_connect"), nullptr);
  EXPECT_EQ(find_episode(out.attempts[0], "echo.launcher_signalled"), nullptr);
  EXPECT_EQ(find_episode(out.attempts[0], "echo.terminated_by_launcher")->about.pid, 10);
  EXPECT_EQ(find_episode(out.attempts[1], "echo.terminated_by_launcher")->about.pid, 20);
  EXPECT_TRUE(out.attempts[1].launcher_ended_it);
  EXPECT_FALSE(out.attempts[0].launcher_ended_it);
}

TEST(Attempts, second_init_of_the_world_by_new_processes_is_a_restart) {
  FactsBuilder job;
  Log& log = job.log("/job/all.log", {.kind = SourceKind::launcher_log});
  log.at(wall_at(10));
  for (int r = 0; r < 2; ++r) log.voice({.host = "n", .pid = 10 + r}).init(0xa, r, 2, 1);
  log.event("app.nan");
  log.at(wall_at(100));
  for (int r = 0; r < 2; ++r) log.voice({.host = "n", .pid = 20 + r}).init(0xa, r, 2, 2);
  log.event("app.usage");
  const Job out = join(job.facts());
  ASSERT_EQ(out.attempts.size(), 2u);
  EXPECT_EQ(out.attempts[0].rank(1)->pid, 11);
  EXPECT_EQ(out.attempts[1].rank(1)->pid, 21);
  EXPECT_EQ(find_episode(out.attempts[0], "app.nan")->about.ranks.str(), "1");
  EXPECT_NE(find_episode(out.attempts[1], "app.usage"), nullptr);
}

TEST(Attempts, crash_of_another_jobs_pid_in_dmesg_is_context_only) {
  FactsBuilder job;
  for (int r = 0; r < 2; ++r) {
    Log& log = job.log("/job/" + std::to_string(r) + ".log");
    log.voice({.host = "n", .pid = 1793 + r}).at(wall_at(1000)).init(0xa, r, 2, 1, "0000:00:06.0");
  }
  Log& dmesg = job.log("/job/dmesg.txt", {.kind = SourceKind::kernel_log});
  dmesg.voice({});
  dmesg.at(boot_at(115)).event("kernel.user_crash", {{"pid", "886"}}, "python3[886]: segfault");
  GpuKernelFault xid;
  xid.number = 31;
  xid.pci = "0000:00:06.0";
  xid.pid = 1794;
  dmesg.at(boot_at(229)).says(xid, "NVRM: Xid (PCI:0000:00:06): 31, pid=1794");
  const Job out = join(job.facts());
  EXPECT_FALSE(find_episode(out.attempts[0], "kernel.user_crash")->in_window);
  const Episode* fault = find_episode(out.attempts[0], "kernel.xid_application");
  ASSERT_NE(fault, nullptr);
  EXPECT_TRUE(fault->in_window);
  EXPECT_FALSE(fault->joined_by_guess);
  EXPECT_EQ(fault->about.ranks.str(), "1");
  EXPECT_TRUE(fault->time.unknown());
}

TEST(Attempts, pid_that_fits_long_after_the_job_is_outside_its_window) {
  FactsBuilder job;
  for (int r = 0; r < 2; ++r) {
    Log& log = job.log("/job/" + std::to_string(r) + ".log");
    log.voice({.host = "n", .pid = 10 + r}).at(wall_at(1000)).init(0xa, r, 2, 1);
  }
  Log& kern = job.log("/job/kern.log", {.kind = SourceKind::kernel_log});
  kern.voice({.host = "n"}).at(wall_at(90'000)).event("kernel.oom_kill", {{"pid", "11"}});
  EXPECT_FALSE(find_episode(join(job.facts()).attempts[0], "kernel.oom_kill")->in_window);
}

}  // namespace
}  // namespace firstfault::test
