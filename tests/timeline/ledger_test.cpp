#include "timeline/ledger.h"

#include <gtest/gtest.h>

#include "timeline/builder.h"
#include "timeline/comparable.h"
#include "timeline/join.h"

namespace firstfault::test {
namespace {

constexpr double kStart = 1000;

WorkFailure timed_out(std::int64_t seq, std::int32_t group_rank, std::int64_t ran_ms) {
  WorkFailure f;
  f.how = WorkFailure::How::timeout;
  f.seq = seq;
  f.group_rank = group_rank;
  f.kind = OpKind::all_reduce;
  f.op_type = "ALLREDUCE";
  f.numel_in = 1024;
  f.ran_ms = ran_ms;
  f.timeout_ms = 10'000;
  return f;
}

GroupStatus status_of(std::int32_t rank, std::int64_t seq) {
  GroupStatus s;
  s.pg_name = "0";
  s.pg_desc = "default_pg";
  s.group_rank = rank;
  s.failed_seq = seq;
  s.last_enqueued = seq;
  s.last_completed = seq - 1;
  return s;
}

Log& dump_of(FactsBuilder& job, int rank) {
  return job.log("/job/nccl_trace_rank_" + std::to_string(rank),
                 {.kind = SourceKind::flight_recorder, .path_rank = rank});
}

// Three ranks; 1 and 2 of them time out in #2; rank 0 went its own way.
FactsBuilder hang() {
  FactsBuilder job;
  for (int r = 1; r < 3; ++r) {
    Log& log = job.log("/job/ranks/" + std::to_string(r) + "/stderr.log", {.path_rank = r});
    log.voice({.global_rank = r, .path_rank = r}).at(wall_at(kStart + 11, 1));
    log.says(timed_out(2, r, 10'200)).says(status_of(r, 2));
    FrDump& dump = dump_of(job, r).dump();
    add_op(dump, "0", "default_pg", {0, 1, 2},
           {.seq = 1, .created_s = kStart, .completed_s = kStart + 0.1, .retired = true});
    add_op(dump, "0", "default_pg", {0, 1, 2}, {.seq = 2, .created_s = kStart + 1});
  }
  return job;
}

TEST(Ledger, completed_that_the_abort_wrote_proves_nothing) {
  FactsBuilder job = hang();
  FrDump& dump = dump_of(job, 0).dump();
  add_op(dump, "0", "default_pg", {0, 1, 2},
         {.seq = 1, .created_s = kStart, .completed_s = kStart + 0.1, .retired = true});
  add_op(dump, "0", "default_pg", {0, 1, 2},
         {.seq = 2,
          .kind = OpKind::all_gather,
          .name = "nccl:_all_gather_base",
          .created_s = kStart + 1,
          .completed_s = kStart + 1.1,
          .retired = true});
  add_op(dump, "0", "default_pg", {0, 1, 2},
         {.seq = 3,
          .kind = OpKind::barrier,
          .name = "nccl:all_reduce_barrier",
          .created_s = kStart + 1.2,
          .completed_s = kStart + 18});  // at the abort, not retired
  const Job out = join(job.facts());
  const Communicator& c = out.attempts[0].communicators.at(0);
  EXPECT_EQ(c.seq_kind, SeqKind::fr);
  EXPECT_EQ(c.cut_by, "watchdog_timeout");
  ASSERT_NE(find_slot(c, 3), nullptr);
  const Cell& barrier = find_slot(c, 3)->cells.at(0);
  EXPECT_TRUE(barrier.issued);
  EXPECT_FALSE(barrier.completed);
  EXPECT_EQ(barrier.grade, Grade::nothing);
  const Cell& gather = find_slot(c, 2)->cells.at(0);
  EXPECT_TRUE(gather.completed);
  EXPECT_EQ(gather.grade, Grade::proven);
  ASSERT_NE(first_difference(c), nullptr);
  EXPECT_EQ(first_difference(c)->seq, 2);
  const std::vector<RankSet> classes = signature_classes(*first_difference(c));
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[1].str(), "0");
  EXPECT_EQ(c.waiting.str(), "1-2");
}

TEST(Ledger, what_a_rank_issued_after_its_peers_gave_up_is_not_counted) {
  FactsBuilder job = hang();
  FrDump& dump = dump_of(job, 0).dump();
  add_op(dump, "0", "default_pg", {0, 1, 2},
         {.seq = 1, .created_s = kStart, .completed_s = kStart + 0.1, .retired = true});
  add_op(dump, "0", "default_pg", {0, 1, 2}, {.seq = 2, .created_s = kStart + 30});
  const Job out = join(job.facts());
  const Communicator& c = out.attempts[0].communicators.at(0);
  const Cell& late = find_slot(c, 2)->cells.at(0);
  EXPECT_TRUE(late.issued);
  EXPECT_TRUE(late.after_cut);
  EXPECT_EQ(c.progress.at(0).last_enqueued, 1);
  EXPECT_EQ(c.progress.at(1).last_enqueued, 2);
  EXPECT_FALSE(find_slot(c, 2)->cells.at(1).after_cut);
}

TEST(Ledger, call_missing_in_the_dump_but_in_the_coll_log_came_after_the_dump) {
  FactsBuilder job;
  for (int r = 0; r < 2; ++r) {
    Log& log = job.log("/job/ranks/" + std::to_string(r) + "/out.log", {.path_rank = r});
    log.voice({.host = "n", .pid = 10 + r, .global_rank = r, .path_rank = r});
    log.init(0xa, r, 2, 5);
    Stamp vague = wall_at(kStart, 60);  // bounded by neighbours only
    vague.grade = StampGrade::neighbours;
    log.at(vague).coll(0xa, 2, OpKind::all_reduce, 1024).coll(0xa, 2, OpKind::all_reduce, 1024);
    log.at(wall_at(kStart + 11, 1));
    if (r == 1) log.says(timed_out(2, 1, 10'100)).says(status_of(1, 2));
    GroupStatus told = status_of(r, -1);
    told.why = GroupStatus::Why::dump_signal_remote;
    told.last_enqueued = r + 1;
    told.last_completed = 1;
    log.at(wall_at(kStart + 16, 1)).says(told);
    FrDump& dump = dump_of(job, r).dump();
    add_op(dump, "0", "default_pg", {0, 1},
           {.seq = 1, .created_s = kStart, .completed_s = kStart + 0.1, .retired = true});
    if (r == 1) add_op(dump, "0", "default_pg", {0, 1}, {.seq = 2, .created_s = kStart + 1});
  }
  const Job out = join(job.facts());
  const Communicator& c = out.attempts[0].communicators.at(0);
  EXPECT_EQ(*c.hash, 5u);
  ASSERT_NE(find_slot(c, 2), nullptr);
  EXPECT_TRUE(find_slot(c, 2)->cells.at(0).after_cut);
  EXPECT_GE(find_slot(c, 2)->cells.at(0).issued_at.lo,
            static_cast<std::int64_t>(kStart + 16) * kSecond);
}

TEST(Ledger, rank_without_the_call_in_a_whole_dump_is_known_not_to_have_issued_it) {
  FactsBuilder job = hang();
  FrDump& dump = dump_of(job, 0).dump();
  add_op(dump, "0", "default_pg", {0, 1, 2},
         {.seq = 1, .created_s = kStart, .completed_s = kStart + 0.1, .retired = true});
  Job out = join(job.facts());
  const Cell& cell = find_slot(out.attempts[0].communicators.at(0), 2)->cells.at(0);
  EXPECT_TRUE(cell.known);
  EXPECT_FALSE(cell.issued);
  EXPECT_TRUE(out.attempts[0].communicators[0].progress.at(0).complete_view);
}

TEST(Ledger, rank_without_any_view_is_unknown_and_not_called_missing) {
  FactsBuilder job = hang();
  const Job out = join(job.facts());
  const Slot* slot = find_slot(out.attempts[0].communicators.at(0), 2);
  EXPECT_FALSE(slot->cells.contains(0));
  EXPECT_FALSE(out.attempts[0].communicators[0].progress.at(0).enqueued_known);
}

TEST(Ledger, barrier_of_a_rank_that_ran_out_of_work_says_it_left) {
  FactsBuilder job = hang();
  FrDump& dump = dump_of(job, 0).dump();
  add_op(dump, "0", "default_pg", {0, 1, 2},
         {.seq = 1, .created_s = kStart, .completed_s = kStart + 0.1, .retired = true});
  add_op(dump, "0", "default_pg", {0, 1, 2},
         {.seq = 2,
          .kind = OpKind::barrier,
          .name = "nccl:all_reduce_barrier",
          .numel = 1,
          .created_s = kStart + 0.5,
          .completed_s = kStart + 18});
  const Job out = join(job.facts());
  EXPECT_TRUE(out.attempts[0].communicators.at(0).progress.at(0).left);
  EXPECT_FALSE(out.attempts[0].communicators.at(0).progress.at(1).left);
}

FactsBuilder quiet(std::int64_t odd_reduction, std::int32_t odd_type) {
  FactsBuilder job;
  for (int r = 0; r < 3; ++r) {
    Log& log = job.log("/job/ranks/" + std::to_string(r) + "/out.log", {.path_rank = r});
    log.voice({.host = "n", .pid = 10 + r, .path_rank = r}).at(wall_at(kStart));
    log.init(0xa, r, 3, 5);
    for (int i = 1; i <= 200; ++i) {
      const bool odd = i == 10 && r == 1;
      log.coll(0xa, 3, OpKind::all_reduce, 1024, odd ? odd_type : 7, odd ? odd_reduction : 0);
    }
    log.says(OrderlyExit{"closing"});
  }
  return job;
}

TEST(Ledger, silent_difference_far_behind_the_end_is_kept) {
  const Job out = join(quiet(0, 6).facts());
  const Communicator& c = out.attempts[0].communicators.at(0);
  EXPECT_EQ(c.seq_kind, SeqKind::own_index);
  ASSERT_NE(first_difference(c), nullptr);
  EXPECT_EQ(first_difference(c)->seq, 10);
  EXPECT_EQ(first_difference(c)->cells.at(1).signature.dtype, "float16");
  EXPECT_TRUE(first_difference(c)->cells.at(1).completed);
  EXPECT_TRUE(out.attempts[0].ended_well);
  EXPECT_LE(c.slots.size(), 256u);
}

TEST(Ledger, difference_that_fell_out_of_the_window_shows_by_its_block) {
  FactsBuilder job;
  for (int r = 0; r < 2; ++r) {
    Log& log = job.log("/job/ranks/" + std::to_string(r) + "/out.log", {.path_rank = r});
    log.voice({.host = "n", .pid = 10 + r, .path_rank = r}).init(0xa, r, 2, 5);
    for (int i = 1; i <= 7000; ++i) {
      log.coll(0xa, 2, OpKind::all_reduce, i == 1500 && r == 1 ? 9 : 8);
    }
  }
  const Communicator c = join(job.facts()).attempts[0].communicators.at(0);
  EXPECT_EQ(first_difference(c), nullptr);
  EXPECT_EQ(c.unseen_difference, 1025);
  EXPECT_EQ(c.slots.back().seq, 7000);
}

TEST(Ledger, user_reductions_that_differ_by_number_are_no_difference) {
  const Job out = join(quiet(1362793770, 7).facts());
  EXPECT_EQ(first_difference(out.attempts[0].communicators.at(0)), nullptr);
}

TEST(Ledger, reused_comm_pointer_is_a_new_communicator) {
  FactsBuilder job;
  for (int r = 0; r < 2; ++r) {
    Log& log = job.log("/job/ranks/" + std::to_string(r) + "/out.log", {.path_rank = r});
    log.voice({.host = "n", .pid = 10 + r, .path_rank = r}).at(wall_at(kStart));
    log.init(0xa, r, 2, 5).coll(0xa, 2, OpKind::all_reduce, 1).coll(0xa, 2, OpKind::all_reduce, 2);
    CommEnd end;
    end.comm = 0xa;
    end.rank = r;
    end.nranks = 2;
    log.says(end);
    log.init(0xa, r, 2, 6).coll(0xa, 2, OpKind::broadcast, 3);
  }
  const Job out = join(job.facts());
  ASSERT_EQ(out.attempts.size(), 1u);
  ASSERT_EQ(out.attempts[0].communicators.size(), 2u);
  EXPECT_EQ(out.attempts[0].communicators[0].slots.size(), 2u);
  EXPECT_EQ(out.attempts[0].communicators[1].slots.size(), 1u);
  EXPECT_EQ(*out.attempts[0].communicators[1].hash, 6u);
}

TEST(Ledger, send_and_recv_make_no_slots_and_shift_no_numbers) {
  FactsBuilder job;
  for (int r = 0; r < 2; ++r) {
    Log& log = job.log("/job/ranks/" + std::to_string(r) + "/out.log", {.path_rank = r});
    log.voice({.host = "n", .pid = 10 + r, .path_rank = r}).init(0xa, r, 2, 5);
    log.coll(0xa, 2, r == 0 ? OpKind::send : OpKind::recv, 8);
    if (r == 0) log.coll(0xa, 2, OpKind::recv, 8);
    log.coll(0xa, 2, OpKind::all_reduce, 16);
  }
  const Job out = join(job.facts());
  const Communicator& c = out.attempts[0].communicators.at(0);
  ASSERT_EQ(c.slots.size(), 1u);
  EXPECT_EQ(c.slots[0].seq, 1);
  EXPECT_EQ(c.slots[0].cells.size(), 2u);
  EXPECT_EQ(first_difference(c), nullptr);
}

TEST(Ledger, killed_rank_whose_log_stops_is_not_known_to_have_missed_the_call) {
  FactsBuilder job;
  for (int r = 0; r < 2; ++r) {
    Log& log = job.log("/job/ranks/" + std::to_string(r) + "/out.log", {.path_rank = r});
    log.voice({.host = "n", .pid = 10 + r, .path_rank = r}).init(0xa, r, 2, 5);
    log.coll(0xa, 2, OpKind::all_reduce, 16);
    if (r == 0) log.coll(0xa, 2, OpKind::all_reduce, 16);
  }
  const Job out = join(job.facts());
  const Communicator& c = out.attempts[0].communicators.at(0);
  EXPECT_FALSE(find_slot(c, 2)->cells.contains(1));
  EXPECT_FALSE(c.progress.at(1).complete_view);
}

}  // namespace
}  // namespace firstfault::test
