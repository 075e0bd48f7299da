// Which ranks the input tells of at all.
#pragma once

#include "model/job.h"

namespace firstfault {

// Members without a log, a dump or NCCL output of their own: they may be culprits as well.
RankSet unobserved(const Attempt& attempt, const RankSet& members);

}  // namespace firstfault
