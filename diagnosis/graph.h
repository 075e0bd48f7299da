// The explanation graph: episodes and findings as nodes, causal edges between them, and its roots.
//
// Invariants: an echo (a report about another, or collateral) is never a root; if only echoes
// speak, a node hypothesis.unobserved_fault is the root. Node order and ids are canonical (time,
// class, subjects).
#pragma once

#include <string>
#include <vector>

#include "model/finding.h"
#include "model/verdict.h"
#include "rules/rulebook.h"

namespace firstfault {

struct Node {
  std::string id;    // "n1"
  std::string kind;  // event, finding, hypothesis
  const ClassInfo* cls = nullptr;
  RankSet reporters, subjects;
  std::string host, pci, peer;
  std::int64_t pid = -1;
  Interval time;
  std::uint64_t count = 1;
  std::string communicator;
  std::int64_t seq = -1;
  std::vector<Capture> captures;  // of the first episode, or the finding's details
  std::vector<Evidence> evidence;
  bool guessed = false;  // identity rests on a guess
  bool in_window = true;
  RankSet others;  // findings: whom the subjects are compared with

  const std::string& capture(std::string_view name) const;
};

struct Link {
  std::size_t from = 0, to = 0;  // node indices; from explains to
  const EdgeRule* rule = nullptr;
  std::string order;  // before, after, undecidable
  double margin_s = 0;
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<std::size_t> roots;        // of one class when possible, best first
  std::vector<std::size_t> other_roots;  // direct nodes that the roots do not explain

  const Link* explanation_of(std::size_t node) const;  // by a root, else by any; nullptr if none
};

Graph build_graph(const Attempt& attempt, const std::vector<Finding>& findings,
                  const Rulebook& rules);

}  // namespace firstfault
