// Jobs and verdicts made by hand for tests of the report.
#pragma once

#include <string>

#include "report/report.h"

namespace firstfault::test {

struct MadeCase {
  Job job;
  Diagnosis diagnosis;

  ReportInput input() const { return {job, diagnosis, {"1.0", 1, "sha256:0"}}; }
  std::string json() const { return render_json(input()); }
  std::string text(bool explain = false) const {
    TextOptions options;
    options.explain = explain;
    return render_text(input(), options);
  }
};

inline Evidence quote(std::uint32_t line, const std::string& text) {
  Evidence e;
  e.quote.line = line;
  e.quote.text = text;
  return e;
}

inline Cell issued(OpKind kind, std::int64_t count) {
  Cell cell;
  cell.known = cell.issued = true;
  cell.grade = Grade::reported;
  cell.signature.kind = kind;
  cell.signature.count = count;
  cell.signature.dtype = "float32";
  return cell;
}

inline MadeCase job_of(std::int32_t world) {
  MadeCase c;
  c.job.sources.emplace_back();
  c.job.sources[0].file = "ranks/2/stderr.log";
  c.job.year_known = true;
  c.job.backend = "nccl";
  c.job.clocks.push_back({"k0", "node-1", "wall", 0, -1, ""});
  Attempt a;
  a.world_size = world;
  Communicator comm;
  comm.id = "c0";
  comm.pg_desc = "default_pg";
  comm.hash = 0x3c6c008ecef52c2e;
  comm.size = world;
  comm.members = RankSet::first(world);
  comm.seq_kind = SeqKind::c10d;
  a.communicators.push_back(comm);
  c.job.attempts.push_back(a);
  return c;
}

// Rank 2 of 4 called another collective than its peers.
inline MadeCase mismatch() {
  MadeCase c = job_of(4);
  Attempt& a = c.job.attempts[0];
  for (std::int32_t r = 0; r < 4; ++r) {
    RankInfo info;
    info.rank = r;
    info.pid = 100 + r;
    a.ranks.push_back(info);
  }
  a.ranks[2].exits.push_back({});
  a.ranks[2].exits[0].signal = "SIGKILL";
  a.settings["NCCL_PROTO"] = {{"LL", {0, 1, 3}}, {"Simple", {2}}};
  Slot slot;
  slot.seq = 10;
  for (std::int32_t r = 0; r < 4; ++r)
    slot.cells[r] = issued(r == 2 ? OpKind::all_gather : OpKind::all_reduce, 1048576);
  a.communicators[0].slots = {slot};
  Verdict& v = c.diagnosis.verdict;
  v.status = VerdictStatus::fault_found;
  v.cause = "coll.mismatch";
  v.confidence = Confidence::certain;
  v.domain = "app";
  v.phase = "steady";
  v.title = "rank 2 called AllGather where ranks 0-1,3 called AllReduce (#10 on default_pg)";
  FirstFailure f;
  f.scope = Scope::rank;
  f.rank = 2;
  f.ranks = {2};
  f.host = "node-1";
  f.pid = 102;
  f.confidence = Confidence::certain;
  f.operation_kind = "collective";
  f.operation_name = "AllGather";
  f.op = "ALLGATHER";
  f.seq = 10;
  f.seq_kind = SeqKind::c10d;
  f.communicator = "c0";
  f.time = Interval::between(1796096687902000000, 1796096687990000000);
  f.evidence = {quote(7, "all_gather_base [1048576]")};
  v.first_failure = f;
  v.must_be = v.may_be = {2};
  v.basis = {{"direct_evidence", true, "n1", ""}};
  v.chain = {{"n1", "ledger.signature_differs", {2}, "rank 2 differs", {"n2"}, f.evidence},
             {"n2", "echo.watchdog_timeout", {0, 1, 3}, "the others timed out", {}, {}}};
  v.decoys = {{"n2", "echo.watchdog_timeout", {0, 1, 3}, "these ranks waited for rank 2", {}}};
  v.action = Action{"fix_code", "rank 2", "it calls another collective"};
  v.advice = {"compare the branches that lead to the call"};
  v.missing = {{"kernel log of node-1", "it would show an Xid", "journalctl -k -b"}};
  GraphNode n1;
  n1.id = "n1";
  n1.kind = "finding";
  n1.cls = "ledger.signature_differs";
  n1.subjects = {2};
  GraphNode n2 = n1;
  n2.id = "n2";
  n2.kind = "event";
  n2.cls = "echo.watchdog_timeout";
  n2.subjects = {0, 1, 3};
  c.diagnosis.nodes = {n1, n2};
  c.diagnosis.edges = {{"n1", "n2", "differs_hangs", "before", 12.0}};
  c.diagnosis.attempts = {{0, {}, v.status, v.cause, 2}};
  return c;
}

// The last of `world` ranks never came, every list is long, and all log text is `log_text`.
inline MadeCase flood(std::int32_t world, const std::string& log_text) {
  MadeCase c = job_of(world);
  Slot slot;
  slot.seq = 7;
  for (std::int32_t r = 0; r + 1 < world; ++r) slot.cells[r] = issued(OpKind::all_reduce, r);
  Attempt& a = c.job.attempts[0];
  a.communicators[0].slots = {slot};
  RankSet even;
  for (std::int32_t r = 0; r < world; r += 2) even.insert(r);
  for (int i = 0; i < 300; ++i) {
    c.job.skipped.push_back({log_text, log_text, 12});
    a.coverage.push_back({log_text, "kernel", even, {}, true});
  }
  c.job.sources[0].file = log_text;
  Verdict& v = c.diagnosis.verdict;
  v.status = VerdictStatus::fault_found;
  v.cause = "coll.missing_rank";
  v.confidence = Confidence::likely;
  v.title = "rank " + std::to_string(world - 1) + " never came: " + log_text;
  FirstFailure f;
  f.scope = Scope::group;
  f.rank = world - 1;
  f.ranks = even;
  f.host = f.gpu = f.link = f.op = f.kernel = f.surfaced = f.after = f.before = log_text;
  f.operation_kind = "kernel";
  f.operation_name = log_text;
  f.communicator = "c0";
  f.seq = 7;
  f.time = Interval::at(0);
  f.evidence.assign(40, quote(1, log_text));
  v.first_failure = f;
  v.must_be = v.may_be = even;
  for (int i = 0; i < 100; ++i) {
    const std::string id = "n" + std::to_string(i);
    v.basis.push_back({"identity", false, id, log_text});
    v.chain.push_back({id, "echo.watchdog_timeout", even, log_text, {id}, f.evidence});
    v.decoys.push_back({id, "echo.watchdog_timeout", even, log_text, f.evidence});
    v.alternatives.push_back({"net.timeout", Confidence::possible, log_text});
    v.missing.push_back({log_text, log_text, log_text});
    v.advice.push_back(log_text);
    GraphNode node;
    node.id = id;
    node.kind = "event";
    node.cls = "echo.watchdog_timeout";
    node.reporters = even;
    node.evidence = f.evidence;
    c.diagnosis.nodes.insert(c.diagnosis.nodes.end(), 3, node);
    c.diagnosis.edges.insert(c.diagnosis.edges.end(), 5, {id, id, log_text, "undecidable", 0});
  }
  v.action = Action{"exclude_node", log_text, log_text};
  return c;
}

inline MadeCase ended(VerdictStatus status, const std::string& title) {
  MadeCase c = job_of(4);
  c.diagnosis.verdict.status = status;
  c.diagnosis.verdict.title = title;
  return c;
}

}  // namespace firstfault::test
