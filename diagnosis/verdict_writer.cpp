#include "diagnosis/verdict_writer.h"

#include <algorithm>

#include "diagnosis/confidence.h"
#include "diagnosis/observed.h"
#include "diagnosis/place.h"
#include "diagnosis/wording.h"
#include "rules/placeholders.h"

namespace firstfault {

namespace {

constexpr std::size_t kMaxDecoys = 12;
constexpr std::size_t kMaxChain = 12;

bool is_root(const Graph& graph, std::size_t i) {
  return std::find(graph.roots.begin(), graph.roots.end(), i) != graph.roots.end();
}

std::string phase_of(const Attempt& attempt, const Graph& graph) {
  bool any_step = false, any_op = false, any_comm = false;
  for (const auto& [rank, step] : attempt.last_step) any_step = any_step || step >= 0;
  for (const Communicator& c : attempt.communicators) {
    any_comm = true;
    for (const auto& [rank, p] : c.progress)
      any_op = any_op || p.last_completed > 0 || p.last_enqueued > 1;
  }
  if (any_step || any_op) return "steady";
  if (!graph.roots.empty() && graph.nodes[graph.roots.front()].seq == 1) return "first_collective";
  return any_comm ? "init" : "unknown";
}

void write_chain(const Attempt& attempt, const Graph& graph, Verdict* out) {
  std::vector<std::size_t> order = graph.roots;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!is_root(graph, i) && graph.explanation_of(i) != nullptr && graph.nodes[i].in_window)
      order.push_back(i);
  }
  for (const std::size_t i : order) {
    if (out->chain.size() >= kMaxChain) break;
    const Node& n = graph.nodes[i];
    ChainLink link;
    link.node = n.id;
    link.cls = n.cls->id;
    link.subjects = n.subjects.empty() ? n.reporters : n.subjects;
    link.what = sentence_of(attempt, n);
    for (const Link& l : graph.links) {
      if (l.from == i && (is_root(graph, i) || graph.explanation_of(l.to) == &l)) {
        const std::string& id = graph.nodes[l.to].id;
        if (std::find(link.explains.begin(), link.explains.end(), id) == link.explains.end())
          link.explains.push_back(id);
      }
    }
    link.evidence.assign(n.evidence.begin(),
                         n.evidence.begin() + static_cast<std::ptrdiff_t>(
                                                  std::min<std::size_t>(4, n.evidence.size())));
    out->chain.push_back(std::move(link));
  }
}

void write_decoys(const Graph& graph, const Rulebook& rules, Verdict* out) {
  (void)rules;
  std::vector<std::size_t> loud;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[i];
    if (is_root(graph, i) || n.cls->origin == Origin::context) continue;
    if (graph.explanation_of(i) != nullptr || !n.in_window) loud.push_back(i);
  }
  std::stable_sort(loud.begin(), loud.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(graph.nodes[a].reporters.size(), graph.nodes[a].count) >
           std::pair(graph.nodes[b].reporters.size(), graph.nodes[b].count);
  });
  RankSet culprits;
  for (const std::size_t r : graph.roots) culprits.merge(graph.nodes[r].subjects);
  for (const std::size_t i : loud) {
    if (out->decoys.size() >= kMaxDecoys) break;
    const Node& n = graph.nodes[i];
    Decoy d;
    d.node = n.id;
    d.cls = n.cls->id;
    d.reporters = n.reporters;
    if (!n.in_window) {
      d.why_not = "it is outside the time of this job or belongs to another process";
    } else {
      const Link* l = graph.explanation_of(i);
      const Node& from = graph.nodes[l->from];
      d.why_not = fill_placeholders(
          l->rule->why_not,
          {{"from_ranks", from.subjects.empty() ? "the failed part" : ranks_text(from.subjects)},
           {"to_ranks", ranks_text(n.reporters.empty() ? n.subjects : n.reporters)},
           {"op", n.capture("call_there")},
           {"seq", n.seq >= 0 ? std::to_string(n.seq) : ""}});
    }
    d.evidence.assign(n.evidence.begin(),
                      n.evidence.begin() +
                          static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, n.evidence.size())));
    out->decoys.push_back(std::move(d));
  }
}

void write_missing(const Attempt& attempt, const Rulebook& rules, const std::string& host,
                   Verdict* out) {
  if (out->confidence == Confidence::certain) return;
  const RankSet world = RankSet::first(std::min(attempt.world_size, 1 << 16));
  for (const MissingHint& hint : rules.missing_hints()) {
    bool present = false;
    RankSet ranks;
    for (const Coverage& c : attempt.coverage) {
      if (c.source != hint.source) continue;
      if (c.present && (c.host.empty() || host.empty() || c.host == host)) present = true;
      ranks.merge(c.ranks);
    }
    const RankSet lacking = hint.source == "kernel" ? world : world.minus(ranks);
    if (present && (hint.source == "kernel" || hint.source == "launcher" || lacking.empty()))
      continue;
    const std::map<std::string, std::string> values = {
        {"host", host.empty() ? "each host" : host},
        {"ranks", lacking.str()}};
    out->missing.push_back(
        {fill_phrases(hint.what, values), hint.why, fill_phrases(hint.how, values)});
  }
}

}  // namespace

Verdict write_verdict(const Job& job, const Attempt& attempt, const Graph& graph,
                      const Rulebook& rules) {
  Verdict v;
  v.phase = phase_of(attempt, graph);
  if (graph.roots.empty() ||
      (attempt.ended_well && graph.nodes[graph.roots.front()].kind == "hypothesis")) {
    if (attempt.ended_well) {
      v.status = VerdictStatus::no_fault;
      v.title = "every rank ended well; nothing in the input shows a fault";
    } else {
      v.title = "nothing in the input says what failed: the logs simply stop";
      write_missing(attempt, rules, "", &v);
    }
    return v;
  }
  const Node& root = graph.nodes[graph.roots.front()];
  FirstFailure place = locate(job, attempt, graph);
  const CauseInfo* cause = rules.cause(root.cls->cause);
  v.must_be = place.ranks;
  v.may_be = place.ranks;
  v.title = title_of(attempt, root);
  if (graph.roots.size() > 1) {
    Node all = root;
    all.subjects = place.ranks;
    v.title = title_of(attempt, all);
  }
  if (cause == nullptr) {
    v.status = VerdictStatus::inconclusive;
    if (!root.subjects.empty()) v.confidence = Confidence::possible;
    place.rank.reset();
    place.scope = Scope::job;
    place.confidence = Confidence::possible;
    v.must_be = {};
    if (v.may_be.empty()) v.may_be = RankSet::first(std::min(attempt.world_size, 1 << 16));
  } else {
    const Assessment sure = assess(attempt, graph, *cause, place);
    v.status = VerdictStatus::fault_found;
    v.cause = cause->id;
    v.confidence = sure.cause;
    v.basis = sure.basis;
    v.domain = cause->domain;
    place.confidence = sure.place;
    if (v.confidence != Confidence::certain) {
      v.must_be = {};
      v.may_be.merge(unobserved(attempt, RankSet::first(std::min(attempt.world_size, 1 << 16))));
    }
    auto values = placeholder_values(attempt, root);
    values["rank"] = values["ranks"] = place.ranks.str();
    if (!place.host.empty()) values["host"] = place.host;
    if (!place.gpu.empty()) values["gpu"] = place.gpu;
    if (values["op"].empty()) values["op"] = place.op;
    if (values["seq"].empty() && place.seq >= 0) values["seq"] = std::to_string(place.seq);
    for (const std::string& a : cause->advice) v.advice.push_back(fill_phrases(a, values));
    if (!cause->action.empty()) {
      std::string target = !place.ranks.empty() ? ranks_text(place.ranks) : place.host;
      if (cause->action == "exclude_node" && !place.host.empty()) target = place.host;
      v.action = Action{cause->action, target, fill_phrases(cause->action_why, values)};
    }
  }
  for (const std::size_t i : graph.other_roots) {
    if (v.alternatives.size() >= 5 || graph.nodes[i].cls->cause.empty()) continue;
    v.alternatives.push_back(
        {graph.nodes[i].cls->cause, Confidence::possible,
         sentence_of(attempt, graph.nodes[i]) + "; less direct or later than " + root.id});
    v.may_be.merge(graph.nodes[i].subjects);
  }
  write_chain(attempt, graph, &v);
  write_decoys(graph, rules, &v);
  write_missing(attempt, rules, place.host, &v);
  v.first_failure = std::move(place);
  return v;
}

}  // namespace firstfault
