// Strongly connected components of a directed graph (Tarjan), without recursion.
#pragma once

#include <cstddef>
#include <vector>

namespace firstfault {

// next[v] lists the nodes that v points at. Returns the component of each node; two nodes have the
// same one exactly when each can be reached from the other. A component that points at no other has
// a smaller number than those that point at it.
std::vector<std::size_t> strong_components(const std::vector<std::vector<std::size_t>>& next);

}  // namespace firstfault
