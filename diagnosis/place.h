// Where the first failure is: rank, host, GPU, and the collective it stands for.
#pragma once

#include "diagnosis/graph.h"
#include "model/verdict.h"

namespace firstfault {

FirstFailure locate(const Job& job, const Attempt& attempt, const Graph& graph);

}  // namespace firstfault
