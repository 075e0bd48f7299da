// Detector: who waits for whom over all communicators, and who is waited for without waiting
// himself.
#pragma once

#include <vector>

#include "model/finding.h"

namespace firstfault {

// ledger.not_issued, ledger.issued_late, ledger.left_loop, ledger.stuck_on_gpu, ledger.wait_cycle,
// ledger.not_completed. Empty when nothing is outstanding or the attempt ended well.
std::vector<Finding> find_waiting(const Attempt& attempt);

}  // namespace firstfault
