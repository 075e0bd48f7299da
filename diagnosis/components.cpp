#include "diagnosis/components.h"

#include <algorithm>
#include <limits>

namespace firstfault {

std::vector<std::size_t> strong_components(const std::vector<std::vector<std::size_t>>& next) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  const std::size_t n = next.size();
  std::vector<std::size_t> component(n, kNone), index(n, kNone), low(n, 0), open;
  struct Frame {
    std::size_t node, edge;
  };
  std::vector<Frame> path;
  std::size_t count = 0, components = 0;
  for (std::size_t start = 0; start < n; ++start) {
    if (index[start] != kNone) continue;
    path.push_back({start, 0});
    while (!path.empty()) {
      const std::size_t v = path.back().node;
      if (path.back().edge == 0) {
        index[v] = low[v] = count++;
        open.push_back(v);
      }
      if (path.back().edge < next[v].size()) {
        const std::size_t w = next[v][path.back().edge++];
        if (index[w] == kNone) {
          path.push_back({w, 0});
        } else if (component[w] == kNone) {
          low[v] = std::min(low[v], index[w]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[v]);
      if (low[v] != index[v]) continue;
      for (std::size_t w = kNone; w != v;) {
        w = open.back();
        open.pop_back();
        component[w] = components;
      }
      ++components;
    }
  }
  return component;
}

}  // namespace firstfault
