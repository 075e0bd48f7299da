#pragma once
#include <memory>
#include <vector>

#include "parser/lines/line.h"

namespace firstfault {
std::vector<std::unique_ptr<LineParser>> make_line_parsers();
}  // namespace firstfault
