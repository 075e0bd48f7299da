// Civil dates of the proleptic Gregorian calendar, without time zones, locale or the C library's
// clock.
//
//   days_from_civil(1970, 1, 1) == 0;   civil_from_days(0).year == 1970
#pragma once

#include <cstdint>

namespace firstfault {

inline constexpr std::int64_t kNanosecondsPerDay = 86'400'000'000'000;

struct CivilDate {
  std::int64_t year = 1970;
  std::int32_t month = 1, day = 1;
};

// Days since 1970-01-01. Requires 1 <= month <= 12 and a day of that month.
std::int64_t days_from_civil(std::int64_t year, std::int32_t month, std::int32_t day);
CivilDate civil_from_days(std::int64_t days);
bool is_leap_year(std::int64_t year);

}  // namespace firstfault
