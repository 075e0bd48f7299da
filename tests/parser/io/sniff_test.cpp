#include "parser/io/sniff.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

TEST(Sniff, DeepestRankWordOfThePathWins) {
  const struct {
    const char* path;
    std::int32_t rank, attempt;
  } kPaths[] = {
      {"/j/run_x/attempt_1/3/stderr.log", 3, 1},
      {"/j/attempt_0/1/error.json", 1, 0},
      {"/j/ranks/2/stdout.log", 2, -1},
      {"/j/7/stderr.log", 7, -1},
      {"/j/rank_3/train.log", 3, -1},
      {"/j/rank12.err", 12, -1},
      {"/j/rank3_stderr.log", 3, -1},
      {"/j/nccl_trace_rank_5", 5, -1},
      {"/j/nccl_trace_rank_node-b_5", 5, -1},
      {"/j/comm_lib_trace_rank_0", 0, -1},
      {"/j/_dump_14", 14, -1},
      {"/j/worker-4/train.log", 4, -1},
      {"/j/job.tar.gz!ranks/6/stdout.log", 6, -1},
  };
  for (const auto& p : kPaths) {
    EXPECT_EQ(path_hints(p.path).rank, p.rank) << p.path;
    EXPECT_EQ(path_hints(p.path).attempt, p.attempt) << p.path;
  }
}

TEST(Sniff, WordsThatOnlyLookLikeARankGiveNone) {
  for (const char* path :
       {"/j/launcher.log", "/j/rank_all.log", "/j/ranks_0-7.log", "/j/frank3.log", "/j/2026/x.log",
        "/data/rank_0/a/b/c/d/launcher.log", "/j/nccl.dgx-03.570.log", "/j/rank99999999.log"}) {
    EXPECT_EQ(path_hints(path).rank, -1) << path;
  }
}

TEST(Sniff, FlightRecorderDumpIsKnownByItsContentAndMayHaveAnyName) {
  EXPECT_EQ(sniff_kind(R"([{"profiling_name": "nccl:all_reduce"}])", "x"),
            SourceKind::flight_recorder);
  EXPECT_EQ(sniff_kind(R"({"version": "2.10", "pg_status": {}})", "x"),
            SourceKind::flight_recorder);
  EXPECT_EQ(trailing_rank("/tmp/fr_node-b_12"), 12);
  EXPECT_EQ(trailing_rank("/tmp/dumps7.pkl"), 7);
  EXPECT_EQ(trailing_rank("/tmp/.5"), 5);
  EXPECT_EQ(trailing_rank("/tmp/20261201034459"), -1) << "a time";
  EXPECT_EQ(trailing_rank("/tmp/trace"), -1);
}

TEST(Sniff, TextThatStartsLikeAContainerIsNone) {
  EXPECT_EQ(sniff_container("BZhello, a log line"), Container::none);
  EXPECT_EQ(sniff_container("PK is a word"), Container::none);
  EXPECT_EQ(sniff_container(""), Container::none);
}

}  // namespace
}  // namespace firstfault
