// Writes the verdict of one attempt from its explanation graph.
#pragma once

#include "diagnosis/graph.h"
#include "model/verdict.h"

namespace firstfault {

Verdict write_verdict(const Job& job, const Attempt& attempt, const Graph& graph,
                      const Rulebook& rules);

}  // namespace firstfault
