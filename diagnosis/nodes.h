// Nodes of the explanation graph: episodes folded by class and subject, and findings.
//
// Echoes of one class fold whoever prints them; first-hand words stay apart by whom they concern,
// up to 32 a class (the earliest), beyond which the rest folds into one node. Order and ids ("n1")
// are canonical: time, class, subjects, place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"
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
  // A kernel line without a time, about a process that is none of the job's: it may be years old.
  bool stray = false;
  RankSet others;  // findings: whom the subjects are compared with

  const std::string& capture(std::string_view name) const;
};

bool is_echo(const ClassInfo& cls);  // a report about another, or collateral

std::vector<Node> make_nodes(const Attempt& attempt, const std::vector<Finding>& findings,
                             const Rulebook& rules);

}  // namespace firstfault
