// The forms in which logs write time. Each function reads one form from the front of *text and
// removes it with one blank behind it; nullopt and *text unchanged when the form is not there.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "model/stamp.h"

namespace firstfault {

std::optional<Stamp> consume_boot_time(std::string_view* text);  // "[  229.256144] "
std::optional<Stamp> consume_wall_time(std::string_view* text, std::string* host);
std::optional<Stamp> consume_c10d_time(std::string_view* text);        // "1201 03:44:59.594968084"
std::optional<Stamp> consume_python_log_time(std::string_view* text);  // "1201 03:44:59.123000"

// Nanoseconds since 1970 of a civil time read as UTC; nullopt when a field is out of range.
std::optional<std::int64_t> civil_ns(int year, int month, int day, int hour, int minute,
                                     int second);

}  // namespace firstfault
