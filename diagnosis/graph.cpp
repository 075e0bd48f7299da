#include "diagnosis/graph.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "diagnosis/precedence.h"

namespace firstfault {

namespace {

constexpr std::size_t kMaxEvidence = 8;

bool echo(const Node& n) {
  return n.cls->origin == Origin::report_of_another || n.cls->origin == Origin::collateral;
}
bool can_be_root(const Node& n) {
  return n.in_window && (n.cls->origin == Origin::direct || n.cls->origin == Origin::finding);
}
// A report that names its cause itself ("rank 3 failed to pass monitoredBarrier"): a root of last
// resort.
bool names_cause(const Node& n) {
  return n.in_window && n.cls->origin == Origin::report_of_another && !n.cls->cause.empty();
}

void add_evidence(Node* node, const std::vector<Evidence>& evidence) {
  for (const Evidence& e : evidence) {
    if (node->evidence.size() >= kMaxEvidence) return;
    if (std::find(node->evidence.begin(), node->evidence.end(), e) == node->evidence.end()) {
      node->evidence.push_back(e);
    }
  }
}

// What nodes say about each other's subjects: a PCI address that one kernel line ties to a rank's
// pid belongs to that rank in all lines of that host.
void complete(const Attempt& attempt, std::vector<Node>* nodes) {
  std::map<std::pair<std::string, std::string>, RankSet> by_gpu;  // (host, pci)
  for (Node& n : *nodes) {
    if (n.host.empty()) n.host = n.capture("host");
    if (n.subjects.empty() && !n.capture("ranks").empty()) {
      if (Result<RankSet> named = RankSet::parse(n.capture("ranks"))) n.subjects = *named;
    }
    if (n.subjects.size() == 1 && !n.pci.empty()) by_gpu[{n.host, n.pci}].merge(n.subjects);
  }
  for (Node& n : *nodes) {
    if (n.cls->id == "kernel.oom_kill" && n.capture("process") == "pt_data_worker") {
      n.in_window =
          true;  // PyTorch's own name for a data-loader process: it can only be one of the job
      n.guessed = true;
    }
    if (n.subjects.empty() && !n.pci.empty()) {
      const auto owner = by_gpu.find({n.host, n.pci});
      if (owner != by_gpu.end() && owner->second.size() == 1) {
        n.subjects = owner->second;
        n.in_window = n.in_window || n.time.overlaps(attempt.window);
      }
    }
  }
}

// Echoes of one class fold whoever prints them; direct words stay apart by whom they concern.
std::vector<Node> fold(const Attempt& attempt, const std::vector<Finding>& findings,
                       const Rulebook& rules) {
  std::map<std::tuple<std::string, bool, Subject>, Node> folded;
  for (const Episode& e : attempt.episodes) {
    const ClassInfo* cls = rules.cls(e.cls);
    if (cls == nullptr || cls->origin == Origin::noise) continue;
    Subject key;
    const bool is_echo =
        cls->origin == Origin::report_of_another || cls->origin == Origin::collateral;
    if (!is_echo || !cls->cause.empty()) key = e.about;
    if (!key.ranks.empty()) {
      key.peer.clear();
      key.pid = -1;
    }
    auto [at, fresh] = folded.try_emplace({e.cls, e.in_window, key});
    Node& n = at->second;
    if (fresh) {
      n.kind = "event";
      n.cls = cls;
      n.host = e.about.host;
      n.pci = e.about.pci;
      n.pid = e.about.pid;
      n.peer = e.about.peer;
      n.time = e.time;
      n.communicator = e.communicator;
      n.seq = e.seq;
      n.captures = e.captures;
      n.guessed = e.joined_by_guess;
      n.in_window = e.in_window;
      n.count = e.count;
    } else {
      if (e.time.bounded_below() && (!n.time.bounded_below() || e.time.lo < n.time.lo))
        n.time = e.time;
      if (n.host != e.about.host) n.host = n.host.empty() ? e.about.host : n.host;
      if (n.pci.empty()) n.pci = e.about.pci;
      if (n.pid < 0) n.pid = e.about.pid;
      n.guessed = n.guessed && e.joined_by_guess;
      n.count += e.count;
    }
    n.reporters.merge(e.reporter.ranks);
    n.subjects.merge(e.about.ranks);
    add_evidence(&n, e.evidence);
  }
  std::vector<Node> nodes;
  for (auto& [key, node] : folded) nodes.push_back(std::move(node));
  for (const Finding& f : findings) {
    Node n;
    n.kind = "finding";
    n.cls = rules.cls(f.cls);
    if (n.cls == nullptr) continue;
    n.subjects = f.subjects;
    n.others = f.others;
    n.communicator = f.communicator;
    n.seq = f.seq;
    n.time = f.time;
    n.captures = f.details;
    add_evidence(&n, f.evidence);
    if (f.subjects.size() == 1) {
      if (const RankInfo* r = attempt.rank(f.subjects.smallest())) {
        n.host = r->host;
        n.pci = r->pci;
        n.pid = r->pid;
      }
    }
    nodes.push_back(std::move(n));
  }
  complete(attempt, &nodes);
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
    return std::tie(a.time.lo, a.time.hi, a.cls->id, a.subjects, a.communicator, a.seq, a.host,
                    a.pid) < std::tie(b.time.lo, b.time.hi, b.cls->id, b.subjects, b.communicator,
                                      b.seq, b.host, b.pid);
  });
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].id = "n" + std::to_string(i + 1);
  return nodes;
}

bool joined(Join join, const Node& a, const Node& b) {
  const bool ranks = !a.subjects.empty() && !b.subjects.empty();
  const bool common =
      ranks && (a.subjects.intersects(b.subjects) || a.subjects.intersects(b.reporters));
  switch (join) {
    case Join::job:
      return true;
    case Join::rank:
      return common || (!ranks && a.pid >= 0 && a.pid == b.pid) ||
             (!ranks && a.subjects.empty() == b.subjects.empty());
    case Join::process:
      return common || (a.pid >= 0 && a.pid == b.pid);
    case Join::gpu:
      if (ranks) return common;
      return !a.pci.empty() && a.pci == b.pci &&
             (a.host.empty() || b.host.empty() || a.host == b.host);
    case Join::host:
      return a.host.empty() || b.host.empty() || a.host == b.host;
    case Join::communicator:
      return a.communicator.empty() || b.communicator.empty() || a.communicator == b.communicator;
    case Join::peer:
      return common || b.subjects.empty();
  }
  return false;
}

constexpr double kNsPerSecond = 1e9;

// Could b have happened between min and max seconds after a?
bool delay_fits(const EdgeRule& e, const Interval& a, const Interval& b) {
  if (!a.bounded_below() || !a.bounded_above() || !b.bounded_below() || !b.bounded_above())
    return true;
  const double least = static_cast<double>(b.lo - a.hi) / kNsPerSecond;
  const double most = static_cast<double>(b.hi - a.lo) / kNsPerSecond;
  return most >= e.min_delay_s && least <= e.max_delay_s;
}

void order_of(const Interval& a, const Interval& b, Link* link) {
  link->order = "undecidable";
  if (a.surely_before(b)) {
    link->order = "before";
    if (a.bounded_above() && b.bounded_below())
      link->margin_s = static_cast<double>(b.lo - a.hi) / kNsPerSecond;
  } else if (b.surely_before(a)) {
    link->order = "after";
    if (b.bounded_above() && a.bounded_below())
      link->margin_s = static_cast<double>(a.lo - b.hi) / kNsPerSecond;
  }
}

// Two nodes that could explain each other: which one goes first?
bool stronger(const Node& a, const Node& b, const std::string& order) {
  const int pa = precedence(a.cls->id), pb = precedence(b.cls->id);
  if (pa != pb) return pa < pb;
  if (order == "before") return true;
  if (order == "after") return false;
  return false;
}

class Builder {
 public:
  Builder(const Attempt& attempt, const std::vector<Finding>& findings, const Rulebook& rules)
      : rules_(rules), ended_well_(attempt.ended_well) {
    graph_.nodes = fold(attempt, findings, rules);
  }

  Graph build() {
    connect();
    choose_roots();
    return std::move(graph_);
  }

 private:
  const Link* edge(std::size_t from, std::size_t to, Link* out) const {
    const Node& a = graph_.nodes[from];
    const Node& b = graph_.nodes[to];
    for (const EdgeRule& rule : rules_.edges()) {
      if (!rule.matches(a.cls->id, b.cls->id) || !joined(rule.join, a, b) ||
          !delay_fits(rule, a.time, b.time))
        continue;
      *out = Link{from, to, &rule, {}, 0};
      order_of(a.time, b.time, out);
      return out;
    }
    return nullptr;
  }

  // Sources of edges are what can be a cause at all.
  void connect() {
    const std::size_t n = graph_.nodes.size();
    for (std::size_t i = 0; i < n; ++i) {
      const Node& a = graph_.nodes[i];
      if (!a.in_window || (!can_be_root(a) && !names_cause(a) && a.cls->id != "kernel.hung_task"))
        continue;
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j || a.cls->id == graph_.nodes[j].cls->id) continue;
        Link link;
        if (edge(i, j, &link) != nullptr) graph_.links.push_back(std::move(link));
      }
    }
  }

  bool explains(std::size_t from, std::size_t to) const {
    const Link* forth = nullptr;
    const Link* back = nullptr;
    for (const Link& l : graph_.links) {
      if (l.from == from && l.to == to) forth = &l;
      if (l.from == to && l.to == from) back = &l;
    }
    if (forth == nullptr) return false;
    const Node& a = graph_.nodes[from];
    const Node& b = graph_.nodes[to];
    // A cause that surely came later explains nothing, but kernel lines may be printed late.
    if (forth->order == "after" && forth->margin_s > -forth->rule->min_delay_s) return false;
    return back == nullptr || stronger(a, b, forth->order);
  }

  void choose_roots() {
    std::vector<std::size_t> candidates = select(can_be_root);
    if (candidates.empty()) candidates = select(names_cause);
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
      const bool explained = std::any_of(candidates.begin(), candidates.end(),
                                         [&](std::size_t d) { return d != c && explains(d, c); });
      if (!explained) free.push_back(c);
    }
    if (free.empty()) free = candidates;  // a circle: the precedence below decides
    std::stable_sort(free.begin(), free.end(),
                     [&](std::size_t a, std::size_t b) { return better(a, b); });
    const Node& best = graph_.nodes[free.front()];
    for (const std::size_t c : free) {
      const Node& n = graph_.nodes[c];
      const bool same =
          n.cls->id == best.cls->id && !best.time.surely_before(n.time) &&
          (n.seq == best.seq || n.kind == "event" || n.communicator != best.communicator);
      (same ? graph_.roots : graph_.other_roots).push_back(c);
    }
  }

  template <typename Predicate>
  std::vector<std::size_t> select(Predicate p) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (p(graph_.nodes[i])) out.push_back(i);
    }
    return out;
  }

  std::size_t explained_count(std::size_t i) const {
    return static_cast<std::size_t>(std::count_if(graph_.links.begin(), graph_.links.end(),
                                                  [&](const Link& l) { return l.from == i; }));
  }

  bool better(std::size_t a, std::size_t b) const {
    const Node& x = graph_.nodes[a];
    const Node& y = graph_.nodes[b];
    const auto key = [&](const Node& n, std::size_t i) {
      return std::tuple(n.cls->weak, !n.capture("tie").empty(), precedence(n.cls->id),
                        -static_cast<std::int64_t>(explained_count(i)));
    };
    if (x.time.surely_before(y.time) && !x.cls->weak && x.capture("tie").empty()) return true;
    if (y.time.surely_before(x.time) && !y.cls->weak && y.capture("tie").empty()) return false;
    const auto kx = key(x, a), ky = key(y, b);
    return kx != ky ? kx < ky : a < b;
  }

  // Only echoes speak: whoever they point at failed in a way that nothing here shows.
  void hypothesis() {
    Node h;
    h.kind = "hypothesis";
    h.cls = rules_.cls("hypothesis.unobserved_fault");
    RankSet about, speakers;
    bool any = false;
    for (const Node& n : graph_.nodes) {
      if (!echo(n) || !n.in_window) continue;
      any = true;
      about.merge(n.subjects.minus(n.reporters));
      speakers.merge(n.reporters);
      if (h.communicator.empty()) h.communicator = n.communicator, h.seq = n.seq;
    }
    if (!any || h.cls == nullptr) return;
    h.subjects = about;
    h.others = speakers;
    h.id = "n" + std::to_string(graph_.nodes.size() + 1);
    graph_.nodes.push_back(std::move(h));
    const std::size_t root = graph_.nodes.size() - 1;
    for (std::size_t j = 0; j < root; ++j) {
      Link link;
      if (edge(root, j, &link) != nullptr) graph_.links.push_back(std::move(link));
    }
    graph_.roots.push_back(root);
  }

  const Rulebook& rules_;
  bool ended_well_;
  Graph graph_;
};

}  // namespace

const std::string& Node::capture(std::string_view name) const {
  static const std::string kNone;
  for (const Capture& c : captures) {
    if (c.name == name) return c.value;
  }
  return kNone;
}

const Link* Graph::explanation_of(std::size_t node) const {
  const Link* any = nullptr;
  for (const Link& l : links) {
    if (l.to != node) continue;
    if (std::find(roots.begin(), roots.end(), l.from) != roots.end()) return &l;
    if (any == nullptr) any = &l;
  }
  return any;
}

Graph build_graph(const Attempt& attempt, const std::vector<Finding>& findings,
                  const Rulebook& rules) {
  return Builder(attempt, findings, rules).build();
}

}  // namespace firstfault
