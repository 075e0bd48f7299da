// Job times as text.
#pragma once

#include <cstdint>
#include <string>

namespace firstfault {

std::string iso_time(std::int64_t ns);  // "2026-12-01T03:44:47.902"

}  // namespace firstfault
