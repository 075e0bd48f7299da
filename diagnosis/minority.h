// Detector: a setting or version that must be equal on all ranks differs on a minority.
#pragma once

#include <vector>

#include "model/finding.h"
#include "rules/rulebook.h"

namespace firstfault {

// settings.minority and versions.minority, for values whose difference alone can break a
// collective.
std::vector<Finding> find_minorities(const Attempt& attempt, const Rulebook& rules);

}  // namespace firstfault
