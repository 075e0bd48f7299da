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

bool left_loop(const Finding& f) { return f.cls == "ledger.left_loop"; }

// A difference that the ledger sees is not also a rank that did not come. But ranks that left the
// loop are placed by the call that their peers wait in first, which often is not the one that
// differs.
void settle(std::vector<Finding>* mismatches, std::vector<Finding>* waiting) {
  if (mismatches->empty()) return;
  for (Finding& f : *mismatches) {
    if (!left_loop(f) || f.subjects.empty()) continue;
    const auto wait = std::find_if(waiting->begin(), waiting->end(), [&](const Finding& w) {
      return left_loop(w) && w.subjects.contains(f.subjects.smallest());
    });
    if (wait == waiting->end()) continue;
    f.communicator = wait->communicator;
    f.seq = wait->seq;
    f.time = wait->time;
    std::erase_if(f.details, [](const Capture& d) { return d.name.starts_with("call_"); });
    f.details.push_back({"call_there", wait->detail("call_there")});
  }
  waiting->clear();
}

std::vector<Finding> detect(const Attempt& attempt, const Rulebook& rules) {
  std::vector<Finding> findings = find_mismatches(attempt);
  std::vector<Finding> waiting = find_waiting(attempt);
  settle(&findings, &waiting);
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
  // The first attempt of which something tells that it failed, else one that just stops.
  const auto first = [&](auto fits) {
    return std::find_if(outcomes.begin(), outcomes.end(), fits);
  };
  auto chosen = first([](const Outcome& o) {
    return o.verdict.status == VerdictStatus::fault_found ||
           (o.verdict.status == VerdictStatus::inconclusive && !o.graph.roots.empty());
  });
  if (chosen == outcomes.end()) {
    chosen =
        first([](const Outcome& o) { return o.verdict.status == VerdictStatus::inconclusive; });
  }
  if (chosen == outcomes.end()) chosen = outcomes.begin();
  if (chosen == outcomes.end()) return out;
  out.attempt = static_cast<std::int32_t>(chosen - outcomes.begin());
  show_graph(chosen->graph, &out);
  out.verdict = std::move(chosen->verdict);
  return out;
}

}  // namespace firstfault
