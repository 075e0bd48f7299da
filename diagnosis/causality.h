// Which node may explain which: the catalogue's edges, applied to subjects and times.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis/nodes.h"

namespace firstfault {

struct Link {
  std::size_t from = 0, to = 0;  // node indices; from explains to
  const EdgeRule* rule = nullptr;
  std::string order;    // before, after, undecidable
  double margin_s = 0;  // gap between the two times when ordered
};

class Causality {
 public:
  // Both must outlive this object.
  Causality(const std::vector<Node>& nodes, const Rulebook& rules) : nodes_(nodes), rules_(rules) {}

  // The first edge of the catalogue that fits classes, subjects and delay.
  std::optional<Link> link(std::size_t from, std::size_t to) const;
  // Is `to` a consequence of `from`? Where each could explain the other, precedence and time
  // decide.
  bool explains(std::size_t from, std::size_t to) const;

 private:
  using Rules = std::vector<const EdgeRule*>;
  const Rules& rules_between(const Node& from, const Node& to) const;

  const std::vector<Node>& nodes_;
  const Rulebook& rules_;
  mutable std::map<std::pair<const ClassInfo*, const ClassInfo*>, Rules> cache_;
};

}  // namespace firstfault
