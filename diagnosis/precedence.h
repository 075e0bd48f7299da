// Which of two first-hand words goes first when times do not tell: one table.
#pragma once

#include <string_view>

namespace firstfault {

// Small numbers go first. Hardware before CUDA errors of the same process, the specific before the
// general, faults of processes before what the ledger concludes from their silence.
int precedence(std::string_view cls);

}  // namespace firstfault
