#include "diagnosis/confidence.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace firstfault {

namespace {

bool covered(const Attempt& attempt, const std::string& source, const std::string& host) {
  return std::any_of(attempt.coverage.begin(), attempt.coverage.end(), [&](const Coverage& c) {
    return c.source == source && c.present && (c.host.empty() || host.empty() || c.host == host);
  });
}

bool asynchronous(const Node& root) {
  const std::string_view cls = root.cls->id;
  return root.kind == "event" && (cls.starts_with("cuda.") || cls.starts_with("kernel.xid_") ||
                                  cls.starts_with("gpu.exception"));
}

// At most one set of members among the communicators that the ranks are in.
bool one_group(const Attempt& attempt, const RankSet& ranks) {
  std::set<RankSet> groups;
  for (const Communicator& c : attempt.communicators) {
    if (c.members.intersects(ranks)) groups.insert(c.members);
  }
  return groups.size() <= 1;
}

}  // namespace

Assessment assess(const Attempt& attempt, const Graph& graph, const CauseInfo& cause,
                  const FirstFailure& place) {
  Assessment out;
  const Node& root = graph.nodes[graph.roots.front()];
  const auto check = [&](const char* name, bool passed, std::string note) {
    out.basis.push_back({name, passed, root.id, passed ? std::string() : std::move(note)});
    return passed;
  };
  const bool required =
      std::find(cause.required.begin(), cause.required.end(), root.cls->id) != cause.required.end();
  const bool tie = !root.capture("tie").empty();
  const bool partial = !root.capture("view").empty();
  const bool direct = check("direct_evidence", required && !root.cls->weak && !tie && !partial,
                            tie       ? "the vote is a tie"
                            : partial ? "what this rank issued is not wholly visible"
                                      : "no first-hand evidence of the kind that this cause needs");
  const bool placed = !root.subjects.empty();
  const bool identity =
      check("identity", placed && !root.guessed,
            placed ? "the rank rests on a guess" : "it is not known which rank it hit");
  const bool inside = check("inside_window", root.in_window, "outside the time of the job");
  // Exceptions and mismatches may be many at once; hardware that fails everywhere at once has one
  // origin.
  const bool which = graph.roots.size() == 1 || cause.domain == "app";
  const bool alone =
      check("no_other_direct_fault", graph.other_roots.empty() && which,
            which ? "other first-hand faults are not explained by it"
                  : "several places report it at once: which was first is not decidable");
  std::string lacking;
  for (const std::string& source : cause.must_cover) {
    if (!covered(attempt, source, root.host)) lacking = source;
  }
  const bool coverage =
      check("coverage", lacking.empty(),
            "no " + lacking + " log: something there would look the same from here");
  const bool order = check("order",
                           std::none_of(graph.links.begin(), graph.links.end(),
                                        [&](const Link& l) {
                                          return std::find(graph.roots.begin(), graph.roots.end(),
                                                           l.from) != graph.roots.end() &&
                                                 l.order == "after" && l.margin_s > 5 &&
                                                 graph.nodes[l.to].cls->origin == Origin::direct;
                                        }),
                           "a consequence seems to come before it");
  // CUDA errors are asynchronous: with several groups the call that was in flight must be known.
  const bool operation =
      check("operation", !asynchronous(root) || place.seq >= 0 || one_group(attempt, place.ranks),
            "which operation of the rank was in flight is not known");
  const bool hypothesis =
      root.kind == "hypothesis" || root.cls->origin == Origin::report_of_another;
  if (direct && identity && inside && alone && coverage && order && operation) {
    out.cause = Confidence::certain;
  } else if (hypothesis || (!direct && !required)) {
    out.cause = root.kind == "hypothesis" ? Confidence::possible : Confidence::likely;
    if (root.cls->weak || !alone) out.cause = Confidence::possible;
  } else {
    out.cause = (direct || partial) && alone ? Confidence::likely : Confidence::possible;
  }
  out.place = tie        ? Confidence::possible
              : identity ? out.cause
                         : std::min(out.cause, Confidence::likely);
  return out;
}

}  // namespace firstfault
