// Names what could not be read, one line each on standard error.
#pragma once

#include <vector>

#include "model/facts.h"

namespace firstfault {

void say_skipped(const std::vector<Skipped>& skipped);

}  // namespace firstfault
