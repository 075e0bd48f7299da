#include "diagnosis/graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "diagnosis/job_builder.h"
#include "support/support.h"

namespace firstfault {
namespace {

using namespace test;

const Rulebook& rules() {
  static const Rulebook book = [] {
    Result<Rulebook> loaded = Rulebook::built_in();
    return std::move(*loaded);
  }();
  return book;
}

std::string root_class(const Graph& g) {
  return g.roots.empty() ? "" : g.nodes[g.roots.front()].cls->id;
}

Finding never_came(RankSet subjects, double since_s) {
  Finding f;
  f.cls = "ledger.not_issued";
  f.subjects = std::move(subjects);
  f.time = Interval::at(static_cast<std::int64_t>(since_s * 1e9));
  return f;
}

TEST(Graph, LoudestEchoIsNeverARoot) {
  Attempt a = attempt_of(4);
  for (std::int32_t r = 0; r < 3; ++r) {
    Episode e = episode("echo.watchdog_timeout", {r}, {r}, 100);
    e.count = 1000;
    a.episodes.push_back(e);
  }
  a.episodes.push_back(episode("app.exception", {3}, {3}, 90));
  const Graph g = build_graph(a, {}, rules());
  ASSERT_EQ(g.roots.size(), 1u);
  EXPECT_EQ(root_class(g), "app.exception");
  EXPECT_TRUE(g.other_roots.empty());
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    EXPECT_TRUE(g.is_root(i) || g.explanation_of(i) != nullptr) << g.nodes[i].cls->id;
  }
}

TEST(Graph, ChainOfAccusationsEndsAtTheRankThatAccusesNobody) {
  Attempt a = attempt_of(3);
  a.episodes.push_back(episode("echo.peer_closed", {0}, {1}, 10));
  a.episodes.push_back(episode("echo.remote_error", {1}, {2}, 10));
  const Graph g = build_graph(a, {}, rules());
  ASSERT_EQ(root_class(g), "hypothesis.unobserved_fault");
  EXPECT_EQ(g.nodes[g.roots.front()].subjects, RankSet({2}));
}

TEST(Graph, RanksThatTheLauncherEndedAreNotAccused) {
  Attempt a = attempt_of(3);
  a.episodes.push_back(episode("echo.terminated_by_launcher", {}, {0, 1, 2}, 10));
  const Graph g = build_graph(a, {}, rules());
  ASSERT_EQ(root_class(g), "hypothesis.unobserved_fault");
  EXPECT_TRUE(g.nodes[g.roots.front()].subjects.empty());
}

TEST(Graph, XidOfAnOlderJobDoesNotTakeTheBlame) {
  Attempt a = attempt_of(2);
  Episode old = episode("kernel.xid_application", {}, {});
  old.about.pid = 7;  // none of the job's processes, at no known time
  old.about.pci = "0000:17:00.0";
  a.episodes.push_back(old);
  const Graph g = build_graph(a, {never_came({1}, 50)}, rules());
  EXPECT_EQ(root_class(g), "ledger.not_issued");
  EXPECT_TRUE(g.other_roots.empty());
}

TEST(Graph, StrayXidOnTheRankThatNeverCameIsNotSweptAside) {
  Attempt a = attempt_of(2);
  Episode xid = episode("kernel.xid_application", {}, {1});
  xid.about.pid = 7;
  a.episodes.push_back(xid);
  const Graph g = build_graph(a, {never_came({1}, 50)}, rules());
  EXPECT_EQ(root_class(g), "kernel.xid_application");
}

TEST(Graph, StrayXidAloneDoesNotExplainEchoes) {
  Attempt a = attempt_of(2);
  Episode old = episode("kernel.xid_application", {}, {});
  old.about.pid = 7;
  a.episodes.push_back(old);
  a.episodes.push_back(episode("echo.watchdog_timeout", {0}, {0}, 10));
  EXPECT_EQ(root_class(build_graph(a, {}, rules())), "hypothesis.unobserved_fault");
}

TEST(Graph, ExceptionLongAfterPeersBeganToWaitForAnotherRankIsNotTheRoot) {
  Attempt a = attempt_of(3);
  a.episodes.push_back(episode("app.exception", {0}, {0}, 90));
  const Graph g = build_graph(a, {never_came({1}, 10)}, rules());
  EXPECT_EQ(root_class(g), "ledger.not_issued");
  EXPECT_EQ(g.other_roots.size(), 1u);
}

TEST(Graph, AbortOfARankWithoutALogAfterTheTimeOutIsItsTeardown) {
  Attempt a = attempt_of(3);
  a.ranks[2].has_log = false;
  a.episodes.push_back(episode("echo.watchdog_timeout", {0}, {0}, 100));
  Episode died = episode("app.segfault", {}, {2}, 110);
  died.captures.push_back({"signal", "SIGABRT"});
  a.episodes.push_back(died);
  EXPECT_EQ(root_class(build_graph(a, {}, rules())), "hypothesis.unobserved_fault");
  a.episodes[1].time = Interval::at(20 * kSecond);  // before anybody gave up: a crash
  EXPECT_EQ(root_class(build_graph(a, {}, rules())), "app.segfault");
}

TEST(Graph, EarlierOfTwoUnrelatedFaultsIsTheRootAndTheOtherIsKept) {
  Attempt a = attempt_of(3);
  a.episodes.push_back(episode("app.exception", {0}, {0}, 90));
  a.episodes.push_back(episode("app.exception", {2}, {2}, 10));
  const Graph g = build_graph(a, {}, rules());
  ASSERT_EQ(g.roots.size(), 1u);
  EXPECT_EQ(g.nodes[g.roots[0]].subjects, RankSet({2}));
  ASSERT_EQ(g.other_roots.size(), 1u);
}

TEST(Graph, CancelledStepFollowsFromTheExceptionUnlessItSurelyCameFirst) {
  const TempDir dir;
  dir.write("edges.json", R"({"format": "firstfault.rules/1", "edges": [{"id": "test.cancelled",
      "from": ["app.exception"], "to": ["sched.cancelled"], "join": "job", "min_delay_s": 0,
      "max_delay_s": 7200, "why_not": "the step was cancelled after {from_ranks} had failed"}]})");
  Result<Rulebook> book = Rulebook::built_in();
  ASSERT_TRUE(book);
  const Status added = book->add_directory(dir.path().string());
  ASSERT_TRUE(added) << added.error().message;
  Attempt a = attempt_of(2);
  a.episodes.push_back(episode("sched.cancelled", {}, {}));
  a.episodes.push_back(episode("app.exception", {1}, {1}, 50));
  EXPECT_EQ(root_class(build_graph(a, {}, *book)), "app.exception");
  a.episodes[0].time = Interval::at(40 * kSecond);
  EXPECT_EQ(root_class(build_graph(a, {}, *book)), "sched.cancelled");
}

TEST(Graph, ThousandsOfRanksThatAllFailMakeFewNodesAndLoseNoRank) {
  Attempt a = attempt_of(4096);
  for (std::int32_t r = 0; r < 4096; ++r) {
    a.episodes.push_back(episode("app.exception", {r}, {r}, 50));
    a.episodes.push_back(episode("app.killed", {}, {r}, 60));
  }
  const Graph g = build_graph(a, {}, rules());
  EXPECT_LE(g.nodes.size(), 66u);
  RankSet all;
  for (const std::size_t i : g.roots) all.merge(g.nodes[i].subjects);
  EXPECT_EQ(all.size(), 4096u);
}

TEST(Graph, OrderOfEpisodesDoesNotMatter) {
  Attempt a = attempt_of(3);
  a.episodes.push_back(episode("app.exception", {0}, {0}));
  a.episodes.push_back(episode("cuda.device_assert", {1}, {1}));
  a.episodes.push_back(episode("echo.peer_closed", {2}, {1}));
  const Graph forth = build_graph(a, {}, rules());
  std::reverse(a.episodes.begin(), a.episodes.end());
  const Graph back = build_graph(a, {}, rules());
  ASSERT_EQ(forth.nodes.size(), back.nodes.size());
  for (std::size_t i = 0; i < forth.nodes.size(); ++i) {
    EXPECT_EQ(forth.nodes[i].cls, back.nodes[i].cls);
    EXPECT_EQ(forth.nodes[i].subjects, back.nodes[i].subjects);
  }
  EXPECT_EQ(forth.roots, back.roots);
  EXPECT_EQ(forth.other_roots, back.other_roots);
}

}  // namespace
}  // namespace firstfault
