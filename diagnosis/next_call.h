// Which communicator a rank would have used next, judged by its own past: a training loop repeats.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/job.h"

namespace firstfault {

// Looks for the place in the rank's past whose preceding calls (communicator and kind of operation)
// match its last ones longest, and returns the first of `candidates` (indices of communicators)
// that came after it. Nothing if the past has no times or no such place.
std::optional<std::size_t> next_communicator(const Attempt& attempt, std::int32_t rank,
                                             const std::vector<std::size_t>& candidates);

}  // namespace firstfault
