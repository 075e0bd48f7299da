#include "diagnosis/graph.h"

#include <algorithm>
#include <tuple>

#include "diagnosis/precedence.h"

namespace firstfault {

namespace {

constexpr std::size_t kMaxOtherLinks = 8;  // into one node, from nodes that are no roots

bool can_be_root(const Node& n) {
  return n.in_window && (n.cls->origin == Origin::direct || n.cls->origin == Origin::finding);
}

// A report that names its cause itself: a root of last resort.
bool names_cause(const Node& n) {
  return n.in_window && n.cls->origin == Origin::report_of_another && !n.cls->cause.empty();
}

bool undecided(const Node& n) { return n.cls->weak || !n.capture("tie").empty(); }

class Builder {
 public:
  Builder(const Attempt& attempt, const std::vector<Finding>& findings, const Rulebook& rules)
      : rules_(rules), ended_well_(attempt.ended_well) {
    graph_.nodes = make_nodes(attempt, findings, rules);
  }

  Graph build() {
    choose_roots();
    connect();
    return std::move(graph_);
  }

 private:
  template <typename Predicate>
  std::vector<std::size_t> select(Predicate p) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (p(graph_.nodes[i])) out.push_back(i);
    }
    return out;
  }

  // Strays leave, unless nothing else speaks first-hand or another candidate names the same rank.
  void drop_strays(std::vector<std::size_t>* candidates) const {
    const auto stray = [&](std::size_t i) { return graph_.nodes[i].stray; };
    if (std::all_of(candidates->begin(), candidates->end(), stray)) {
      const bool echoes = std::any_of(graph_.nodes.begin(), graph_.nodes.end(),
                                      [](const Node& n) { return n.in_window && is_echo(*n.cls); });
      if (echoes) candidates->clear();  // what they tell of is not told by a line that may be old
      return;
    }
    RankSet named;
    for (const std::size_t i : *candidates) {
      if (!stray(i)) named.merge(graph_.nodes[i].subjects);
    }
    std::erase_if(*candidates, [&](std::size_t i) {
      return stray(i) && !graph_.nodes[i].subjects.intersects(named);
    });
  }

  // Where the only first-hand word is a bare exit code, a report of that rank, or of nobody known,
  // that names a cause tells more.
  void prefer_reasons(std::vector<std::size_t>* candidates) const {
    RankSet exited;
    for (const std::size_t i : *candidates) {
      if (graph_.nodes[i].cls->id != "app.exit_nonzero") return;
      exited.merge(graph_.nodes[i].subjects);
    }
    std::vector<std::size_t> reasons = select([&](const Node& n) {
      return names_cause(n) && (n.reporters.empty() || n.reporters.intersects(exited));
    });
    if (!reasons.empty()) *candidates = std::move(reasons);
  }

  void choose_roots() {
    const Causality causality(graph_.nodes, rules_);
    std::vector<std::size_t> candidates = select(can_be_root);
    drop_strays(&candidates);
    if (candidates.empty()) candidates = select(names_cause);
    prefer_reasons(&candidates);
    if (ended_well_) {
      // Every rank went home: what it printed on the way it had caught, only wrong data count.
      std::erase_if(candidates, [&](std::size_t i) { return graph_.nodes[i].kind == "event"; });
      if (candidates.empty()) return;
    }
    if (candidates.empty()) {
      hypothesis();
      return;
    }
    std::vector<std::size_t> free;
    for (const std::size_t c : candidates) {
      const bool explained = std::any_of(candidates.begin(), candidates.end(), [&](std::size_t d) {
        return d != c && causality.explains(d, c);
      });
      if (!explained) free.push_back(c);
    }
    if (free.empty()) free = candidates;  // a circle: the order below decides
    const std::size_t best = first_of(free, causality);
    for (const std::size_t c : free) {
      const bool side_by_side = beside(graph_.nodes[best], graph_.nodes[c]);
      (side_by_side ? graph_.roots : graph_.other_roots).push_back(c);
    }
    const bool by_rank = graph_.nodes[best].kind == "finding";
    std::stable_sort(graph_.roots.begin(), graph_.roots.end(), [&](std::size_t a, std::size_t b) {
      if (by_rank) return graph_.nodes[a].subjects < graph_.nodes[b].subjects;
      return a == best && b != best;
    });
  }

  // By directness, precedence and how much it explains; but never one that surely came after
  // another that is as direct.
  std::size_t first_of(const std::vector<std::size_t>& free, const Causality& causality) const {
    const auto key = [&](std::size_t i) {
      const Node& n = graph_.nodes[i];
      std::int64_t explained = 0;
      for (std::size_t j = 0; j < graph_.nodes.size(); ++j) {
        if (j != i && causality.link(i, j)) ++explained;
      }
      return std::tuple(undecided(n), precedence(n.cls->id), -explained, i);
    };
    std::int64_t earliest = kTimeMax;
    for (const std::size_t i : free) {
      if (!undecided(graph_.nodes[i])) earliest = std::min(earliest, graph_.nodes[i].time.hi);
    }
    std::vector<std::size_t> in_time;
    for (const std::size_t i : free) {
      if (graph_.nodes[i].time.lo <= earliest) in_time.push_back(i);
    }
    const std::vector<std::size_t>& from = in_time.empty() ? free : in_time;
    return *std::min_element(from.begin(), from.end(),
                             [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  }

  // Do both stand side by side as the first failure?
  static bool beside(const Node& best, const Node& n) {
    if (n.cls != best.cls || undecided(n) != undecided(best)) return false;
    if (n.kind == "event") return !best.time.surely_before(n.time);
    // Ranks that did not come; or one difference, seen on several communicators.
    return n.communicator != best.communicator || n.seq == best.seq || n.subjects != best.subjects;
  }

  // Links of the roots, then some of the others.
  void connect() {
    const Causality causality(graph_.nodes, rules_);
    const std::size_t n = graph_.nodes.size();
    for (const std::size_t root : graph_.roots) {
      for (std::size_t j = 0; j < n; ++j) {
        if (graph_.is_root(j)) continue;
        if (auto l = causality.link(root, j)) graph_.links.push_back(std::move(*l));
      }
    }
    std::vector<std::size_t> others(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const Node& a = graph_.nodes[i];
      const bool may = can_be_root(a) || names_cause(a) || a.cls->id == "kernel.hung_task";
      if (!a.in_window || !may || a.stray || graph_.is_root(i)) continue;
      for (std::size_t j = 0; j < n; ++j) {
        if (j == i || others[j] >= kMaxOtherLinks) continue;
        if (auto l = causality.link(i, j)) {
          graph_.links.push_back(std::move(*l));
          ++others[j];
        }
      }
    }
  }

  // Only echoes speak: whoever they point at failed in a way that nothing here shows. If A points
  // at B and B at C, it is C.
  void hypothesis() {
    Node h;
    h.kind = "hypothesis";
    h.cls = rules_.cls("hypothesis.unobserved_fault");
    RankSet accused, accusers;
    bool any = false;
    for (const Node& n : graph_.nodes) {
      if (!is_echo(*n.cls) || !n.in_window) continue;
      any = true;
      h.others.merge(n.reporters);
      if (h.communicator.empty()) {
        h.communicator = n.communicator;
        h.seq = n.seq;
      }
      if (n.cls->origin != Origin::report_of_another) continue;
      const RankSet pointed_at = n.subjects.minus(n.reporters);
      accused.merge(pointed_at);
      if (!pointed_at.empty()) accusers.merge(n.reporters);
    }
    if (!any || h.cls == nullptr) return;
    const RankSet last = accused.minus(accusers);
    h.subjects = last.empty() ? accused : last;
    h.id = "n" + std::to_string(graph_.nodes.size() + 1);
    graph_.nodes.push_back(std::move(h));
    graph_.roots.push_back(graph_.nodes.size() - 1);
  }

  const Rulebook& rules_;
  bool ended_well_;
  Graph graph_;
};

}  // namespace

bool Graph::is_root(std::size_t node) const {
  return std::find(roots.begin(), roots.end(), node) != roots.end();
}

const Link* Graph::explanation_of(std::size_t node) const {
  const Link* any = nullptr;
  for (const Link& l : links) {
    if (l.to != node) continue;
    if (is_root(l.from)) return &l;
    if (any == nullptr) any = &l;
  }
  return any;
}

Graph build_graph(const Attempt& attempt, const std::vector<Finding>& findings,
                  const Rulebook& rules) {
  return Builder(attempt, findings, rules).build();
}

}  // namespace firstfault
