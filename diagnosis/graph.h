// The explanation graph: episodes and findings as nodes, causal edges between them, and its roots.
//
// Invariants: an echo (a report about another, or collateral) is a root only if nothing first-hand
// speaks and it names its cause itself ("rank 3 failed to pass monitoredBarrier"); if only other
// echoes speak, a node hypothesis.unobserved_fault is the root. A stray kernel line counts only
// where it concerns a rank that another candidate names too.
#pragma once

#include <vector>

#include "diagnosis/causality.h"
#include "diagnosis/nodes.h"
#include "model/finding.h"
#include "model/verdict.h"
#include "rules/rulebook.h"

namespace firstfault {

struct Graph {
  std::vector<Node> nodes;
  std::vector<Link> links;               // those of the roots, and up to 8 others into each node
  std::vector<std::size_t> roots;        // of one class, best first; findings by smallest rank
  std::vector<std::size_t> other_roots;  // direct nodes that the roots do not explain

  const Link* explanation_of(std::size_t node) const;  // by a root, else by any; nullptr if none
  bool is_root(std::size_t node) const;
};

Graph build_graph(const Attempt& attempt, const std::vector<Finding>& findings,
                  const Rulebook& rules);

}  // namespace firstfault
