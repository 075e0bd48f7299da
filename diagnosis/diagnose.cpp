#include "diagnosis/diagnose.h"

#include <algorithm>

#include "diagnosis/graph.h"
#include "diagnosis/minority.h"
#include "diagnosis/mismatch.h"
#include "diagnosis/verdict_writer.h"
#include "diagnosis/waiting.h"

namespace firstfault {

namespace {

struct Outcome {
  Graph graph;
  Verdict verdict;
};

// A setting that differs is a fault only where something broke that it can break.
bool sizes_disagree(const Attempt& attempt) {
  return std::any_of(attempt.episodes.begin(), attempt.episodes.end(), [](const Episode& e) {
    return e.cls == "net.size_disagreement" && e.in_window;
  });
}

// A difference that the ledger sees is not also a rank that did not come.
void drop_waiting_after(const std::vector<Finding>& mismatches, std::vector<Finding>* waiting) {
  if (mismatches.empty()) return;
  waiting->clear();
}

std::vector<Finding> detect(const Attempt& attempt, const Rulebook& rules) {
  std::vector<Finding> findings = find_mismatches(attempt);
  std::vector<Finding> waiting = find_waiting(attempt);
  drop_waiting_after(findings, &waiting);
  findings.insert(findings.end(), std::make_move_iterator(waiting.begin()),
                  std::make_move_iterator(waiting.end()));
  if (sizes_disagree(attempt)) {
    for (Finding& f : find_minorities(attempt, rules)) findings.push_back(std::move(f));
  }
  return findings;
}

Outcome examine(const Job& job, const Attempt& attempt, const Rulebook& rules) {
  Outcome out;
  out.graph = build_graph(attempt, detect(attempt, rules), rules);
  out.verdict = write_verdict(job, attempt, out.graph, rules);
  return out;
}

void show_graph(const Graph& graph, Diagnosis* out) {
  for (const Node& n : graph.nodes) {
    out->nodes.push_back({n.id, n.kind, n.cls->id, n.reporters, n.subjects, n.host, n.pci, n.time,
                          n.count, n.evidence});
  }
  for (const Link& l : graph.links) {
    out->edges.push_back(
        {graph.nodes[l.from].id, graph.nodes[l.to].id, l.rule->id, l.order, l.margin_s});
  }
}

}  // namespace

Diagnosis diagnose(const Job& job, const Rulebook& rules) {
  Diagnosis out;
  std::vector<Outcome> outcomes;
  for (const Attempt& attempt : job.attempts) {
    outcomes.push_back(examine(job, attempt, rules));
    const Verdict& v = outcomes.back().verdict;
    AttemptVerdict short_form{attempt.number, attempt.window, v.status, v.cause, std::nullopt};
    if (v.first_failure) short_form.rank = v.first_failure->rank;
    out.attempts.push_back(std::move(short_form));
  }
  const auto first_with = [&](VerdictStatus status) {
    return std::find_if(outcomes.begin(), outcomes.end(),
                        [&](const Outcome& o) { return o.verdict.status == status; });
  };
  auto chosen = first_with(VerdictStatus::fault_found);
  if (chosen == outcomes.end()) chosen = first_with(VerdictStatus::inconclusive);
  if (chosen == outcomes.end()) chosen = outcomes.begin();
  if (chosen == outcomes.end()) return out;
  out.attempt = static_cast<std::int32_t>(chosen - outcomes.begin());
  show_graph(chosen->graph, &out);
  out.verdict = std::move(chosen->verdict);
  return out;
}

}  // namespace firstfault
