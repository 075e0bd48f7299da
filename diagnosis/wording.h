// Sentences of verdicts: a table by class, filled with the facts of a node.
#pragma once

#include <map>
#include <string>

#include "diagnosis/graph.h"

namespace firstfault {

// Values for placeholders: rank, ranks, host, gpu, op, seq, communicator, others, text, here, there
// ...
std::map<std::string, std::string> placeholder_values(const Attempt& attempt, const Node& node);

// One line for a chat: "rank 2 called AllGather where ranks 0-1,3 called AllReduce (#10 on
// default_pg)".
std::string title_of(const Attempt& attempt, const Node& node);
// One plain sentence for the chain.
std::string sentence_of(const Attempt& attempt, const Node& node);

std::string communicator_name(const Communicator& c);  // "default_pg", "tp1", "c0"
std::string ranks_text(const RankSet& ranks);          // "rank 2", "ranks 0-1,3", "an unknown rank"

}  // namespace firstfault
