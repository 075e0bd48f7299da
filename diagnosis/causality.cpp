#include "diagnosis/causality.h"

#include <algorithm>

#include "diagnosis/precedence.h"

namespace firstfault {

namespace {

constexpr double kNsPerSecond = 1e9;
// A rank that fails this long after its peers began to wait for another one is not why that other
// one did not come.
constexpr double kWaitSlack_s = 10;

bool joined(Join join, const Node& a, const Node& b) {
  const bool ranks = !a.subjects.empty() && !b.subjects.empty();
  const bool common =
      ranks && (a.subjects.intersects(b.subjects) || a.subjects.intersects(b.reporters));
  switch (join) {
    case Join::job:
      return true;
    case Join::rank:
      return common || (!ranks && a.pid >= 0 && a.pid == b.pid) ||
             (a.subjects.empty() && b.subjects.empty());
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

double gap_s(std::int64_t from, std::int64_t to) {
  return (static_cast<double>(to) - static_cast<double>(from)) / kNsPerSecond;
}

// Could b have happened between min and max seconds after a?
bool delay_fits(const EdgeRule& e, const Interval& a, const Interval& b) {
  if (!a.bounded_below() || !a.bounded_above() || !b.bounded_below() || !b.bounded_above())
    return true;
  return gap_s(a.lo, b.hi) >= e.min_delay_s && gap_s(a.hi, b.lo) <= e.max_delay_s;
}

void order_of(const Interval& a, const Interval& b, Link* link) {
  link->order = "undecidable";
  if (a.surely_before(b)) {
    link->order = "before";
    link->margin_s = gap_s(a.hi, b.lo);
  } else if (b.surely_before(a)) {
    link->order = "after";
    link->margin_s = gap_s(b.hi, a.lo);
  }
}

bool did_not_come(const Node& n) {
  return n.cls->id == "ledger.not_issued" || n.cls->id == "ledger.issued_late" ||
         n.cls->id == "ledger.left_loop";
}

}  // namespace

const Causality::Rules& Causality::rules_between(const Node& from, const Node& to) const {
  const auto [at, fresh] = cache_.try_emplace({from.cls, to.cls});
  if (fresh) {
    for (const EdgeRule& rule : rules_.edges()) {
      if (rule.matches(from.cls->id, to.cls->id)) at->second.push_back(&rule);
    }
  }
  return at->second;
}

std::optional<Link> Causality::link(std::size_t from, std::size_t to) const {
  const Node& a = nodes_[from];
  const Node& b = nodes_[to];
  if (a.cls == b.cls) return std::nullopt;
  for (const EdgeRule* rule : rules_between(a, b)) {
    if (!joined(rule->join, a, b) || !delay_fits(*rule, a.time, b.time)) continue;
    Link link{from, to, rule, {}, 0};
    order_of(a.time, b.time, &link);
    return link;
  }
  return std::nullopt;
}

bool Causality::explains(std::size_t from, std::size_t to) const {
  const std::optional<Link> forth = link(from, to);
  if (!forth) return false;
  const Node& a = nodes_[from];
  const Node& b = nodes_[to];
  // A cause that surely came later explains nothing, but kernel lines may be printed late.
  if (forth->order == "after") {
    if (forth->margin_s > -forth->rule->min_delay_s) return false;
    const bool another = !a.subjects.empty() && !a.subjects.intersects(b.subjects);
    if (did_not_come(b) && another && forth->margin_s > kWaitSlack_s) return false;
  }
  if (!link(to, from)) return true;
  // Each could explain the other.
  const int pa = precedence(a.cls->id), pb = precedence(b.cls->id);
  return pa != pb ? pa < pb : forth->order == "before";
}

}  // namespace firstfault
