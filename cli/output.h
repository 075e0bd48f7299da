// Writing results: to standard output, or to a file that is either complete or absent.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace firstfault {

Status write_output(const std::string& path,
                    std::string_view content);  // "" or "-" = standard output
bool colour_wanted(const std::string& mode,
                   const std::string& path);  // auto: a terminal and no NO_COLOR

}  // namespace firstfault
