// Reads a text source the slow, obvious way: line by line, every word looked for in every line,
// every signature tried. What the scanning core is compared with.
#pragma once

#include <string_view>

#include "model/facts.h"
#include "rules/rulebook.h"

namespace firstfault::test {

SourceFacts read_naively(std::string_view text, const Rulebook& book);

}  // namespace firstfault::test
