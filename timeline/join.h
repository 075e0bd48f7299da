// Join: Facts -> Job. Ranks resolved, times on one axis, restarts apart, duplicates one, a ledger
// for each communicator, and what was not observed said.
//
// Pure and deterministic: equal Facts give an equal Job, in whatever order their sources were read.
// No input is trusted; there are no errors: what cannot be joined stays unresolved and is shown so.
//
//   Facts facts = read_inputs(...);
//   Job job = join(facts);
//   job.attempts.back().communicators[0].slots   // default group: who issued and completed what
#pragma once

#include "model/facts.h"
#include "model/job.h"

namespace firstfault {

Job join(const Facts& facts);

}  // namespace firstfault
