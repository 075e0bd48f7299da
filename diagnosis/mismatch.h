// Detector: ranks issued different collectives at one place of a communicator.
#pragma once

#include <vector>

#include "model/finding.h"

namespace firstfault {

// ledger.signature_differs (the communicator hung or failed), ledger.silent_mismatch (all went on,
// the data are wrong) or ledger.left_loop (the odd ranks are in the loop's closing barrier). The
// minority is found by vote; a tie names both sides and has detail "tie"="yes". A tie on a small
// communicator is decided by a clear vote that names one of its sides elsewhere.
std::vector<Finding> find_mismatches(const Attempt& attempt);

}  // namespace firstfault
