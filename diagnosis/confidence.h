// How sure a verdict is: a checklist, not a feeling. `certain` = every check passed.
#pragma once

#include <vector>

#include "diagnosis/graph.h"
#include "model/verdict.h"

namespace firstfault {

struct Assessment {
  std::vector<BasisCheck> basis;
  Confidence cause = Confidence::possible;
  Confidence place = Confidence::possible;
};

Assessment assess(const Attempt& attempt, const Graph& graph, const CauseInfo& cause,
                  const FirstFailure& place);

}  // namespace firstfault
