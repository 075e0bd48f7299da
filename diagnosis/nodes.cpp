#include "diagnosis/nodes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace firstfault {

namespace {

constexpr std::size_t kMaxEvidence = 8;
constexpr std::size_t kMaxOfOneClass = 32;  // the job may have thousands of ranks that all fail

void add_evidence(Node* node, const std::vector<Evidence>& evidence) {
  for (const Evidence& e : evidence) {
    if (node->evidence.size() >= kMaxEvidence) return;
    if (std::find(node->evidence.begin(), node->evidence.end(), e) == node->evidence.end()) {
      node->evidence.push_back(e);
    }
  }
}

bool starts_earlier(const Interval& a, const Interval& b) {
  return a.bounded_below() && (!b.bounded_below() || a.lo < b.lo);
}

void absorb(Node&& other, Node* n) {
  if (starts_earlier(other.time, n->time)) n->time = other.time;
  if (n->host.empty()) n->host = other.host;
  if (n->pci.empty()) n->pci = other.pci;
  if (n->pid < 0) n->pid = other.pid;
  n->guessed = n->guessed && other.guessed;
  n->stray = n->stray && other.stray;
  n->count += other.count;
  n->reporters.merge(other.reporters);
  n->subjects.merge(other.subjects);
  n->others.merge(other.others);
  add_evidence(n, other.evidence);
}

Node node_of(const Episode& e, const ClassInfo* cls) {
  Node n;
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
  n.reporters = e.reporter.ranks;
  n.subjects = e.about.ranks;
  add_evidence(&n, e.evidence);
  return n;
}

Node node_of(const Attempt& attempt, const Finding& f, const ClassInfo* cls) {
  Node n;
  n.kind = "finding";
  n.cls = cls;
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
  return n;
}

// A PCI address that is one rank's, or that one kernel line ties to a rank's pid, belongs to that
// rank in all lines of that host.
void complete(const Attempt& attempt, std::vector<Node>* nodes) {
  std::map<std::pair<std::string, std::string>, RankSet> by_gpu;  // (host, pci)
  for (const RankInfo& r : attempt.ranks) {
    if (!r.pci.empty()) by_gpu[{r.host, r.pci}].insert(r.rank);
  }
  for (Node& n : *nodes) {
    if (n.host.empty()) n.host = n.capture("host");
    if (n.subjects.empty() && !n.capture("ranks").empty()) {
      if (Result<RankSet> named = RankSet::parse(n.capture("ranks"))) n.subjects = *named;
    }
    if (n.subjects.size() == 1 && !n.pci.empty()) by_gpu[{n.host, n.pci}].merge(n.subjects);
  }
  for (Node& n : *nodes) {
    // PyTorch's own name for a data-loader process: it can only be one of the job.
    if (n.cls->id == "kernel.oom_kill" && n.capture("process") == "pt_data_worker") {
      n.in_window = true;
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

// A kernel line with a pid that is no rank's and without a time says nothing about this job, unless
// no pid of the job is known at all.
void mark_strays(const Attempt& attempt, std::vector<Node>* nodes) {
  const bool pids_known = std::any_of(attempt.ranks.begin(), attempt.ranks.end(),
                                      [](const RankInfo& r) { return r.pid >= 0; });
  if (!pids_known) return;
  for (Node& n : *nodes) {
    if (n.kind != "event" || !n.cls->id.starts_with("kernel.xid_") || n.pid < 0) continue;
    if (!n.time.unknown()) continue;
    n.stray = std::none_of(attempt.ranks.begin(), attempt.ranks.end(),
                           [&](const RankInfo& r) { return r.pid == n.pid; });
  }
}

bool canonical(const Node& a, const Node& b) {
  return std::tie(a.time.lo, a.time.hi, a.cls->id, a.subjects, a.communicator, a.seq, a.host, a.pci,
                  a.pid, a.peer, a.in_window) < std::tie(b.time.lo, b.time.hi, b.cls->id,
                                                         b.subjects, b.communicator, b.seq, b.host,
                                                         b.pci, b.pid, b.peer, b.in_window);
}

// Requires canonical order.
void limit(std::vector<Node>* nodes) {
  std::map<std::pair<std::string, bool>, std::vector<std::size_t>> of_class;
  std::vector<Node> kept;
  for (Node& n : *nodes) {
    std::vector<std::size_t>& places = of_class[{n.cls->id, n.in_window}];
    const bool rest = n.kind == "event" && places.size() >= kMaxOfOneClass;
    if (rest) {
      n.host.clear();
      n.pci.clear();
      n.pid = -1;
    }
    if (rest && places.size() > kMaxOfOneClass) {
      absorb(std::move(n), &kept[places.back()]);
      continue;
    }
    places.push_back(kept.size());
    kept.push_back(std::move(n));
  }
  *nodes = std::move(kept);
}

// A process that aborted itself (SIGABRT) after its peers had given up, or at an unknown time, most
// likely was taken down by its own watchdog: its log would say so, but it is not here.
const ClassInfo* class_of(const Attempt& attempt, const Episode& e, const Interval& given_up,
                          const Rulebook& rules) {
  const bool aborted = e.cls == "app.segfault" && e.capture("signal") == "SIGABRT";
  if (!aborted || given_up.empty() || e.time.surely_before(given_up)) return rules.cls(e.cls);
  const bool silent = std::all_of(e.about.ranks.begin(), e.about.ranks.end(), [&](std::int32_t r) {
    const RankInfo* info = attempt.rank(r);
    return info == nullptr || !info->has_log;
  });
  return rules.cls(silent ? "echo.teardown" : e.cls);
}

// When the first rank gave up waiting; empty() if none did.
Interval first_given_up(const Attempt& attempt) {
  Interval out{1, 0};
  for (const Episode& e : attempt.episodes) {
    if (e.cls != "echo.watchdog_timeout" || !e.in_window) continue;
    if (out.empty() || e.time.hi < out.hi) out = e.time;
  }
  return out;
}

}  // namespace

bool is_echo(const ClassInfo& cls) {
  return cls.origin == Origin::report_of_another || cls.origin == Origin::collateral;
}

const std::string& Node::capture(std::string_view name) const {
  static const std::string kNone;
  for (const Capture& c : captures) {
    if (c.name == name) return c.value;
  }
  return kNone;
}

std::vector<Node> make_nodes(const Attempt& attempt, const std::vector<Finding>& findings,
                             const Rulebook& rules) {
  std::map<std::tuple<std::string, bool, Subject>, Node> folded;
  const Interval given_up = first_given_up(attempt);
  for (const Episode& e : attempt.episodes) {
    const ClassInfo* cls = class_of(attempt, e, given_up, rules);
    if (cls == nullptr || cls->origin == Origin::noise) continue;
    Subject key;
    if (!is_echo(*cls) || !cls->cause.empty()) key = e.about;
    if (!key.ranks.empty()) {
      key.peer.clear();
      key.pid = -1;
    }
    Node n = node_of(e, cls);
    const auto at = folded.find({cls->id, e.in_window, key});
    if (at == folded.end()) {
      folded.emplace(std::tuple(cls->id, e.in_window, std::move(key)), std::move(n));
    } else {
      absorb(std::move(n), &at->second);
    }
  }
  std::vector<Node> nodes;
  for (auto& [key, node] : folded) nodes.push_back(std::move(node));
  for (const Finding& f : findings) {
    if (const ClassInfo* cls = rules.cls(f.cls)) nodes.push_back(node_of(attempt, f, cls));
  }
  complete(attempt, &nodes);
  mark_strays(attempt, &nodes);
  std::stable_sort(nodes.begin(), nodes.end(), canonical);
  limit(&nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].id = "n" + std::to_string(i + 1);
  return nodes;
}

}  // namespace firstfault
