#include "timeline/civil.h"

namespace firstfault {

// Both conversions count in eras of 400 years that begin on 1 March, so that the leap day is the
// last day of its year.
namespace {
constexpr std::int64_t kDaysPerEra = 146'097;
constexpr std::int64_t kEpochShift = 719'468;  // days from 0000-03-01 to 1970-01-01
}  // namespace

std::int64_t days_from_civil(std::int64_t year, std::int32_t month, std::int32_t day) {
  const std::int64_t y = year - (month <= 2 ? 1 : 0);
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - kEpochShift;
}

CivilDate civil_from_days(std::int64_t days) {
  const std::int64_t z = days + kEpochShift;
  const std::int64_t era = (z >= 0 ? z : z - (kDaysPerEra - 1)) / kDaysPerEra;
  const std::int64_t day_of_era = z - era * kDaysPerEra;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted_month = (5 * day_of_year + 2) / 153;
  CivilDate out;
  out.day = static_cast<std::int32_t>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  out.month = static_cast<std::int32_t>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  out.year = year_of_era + era * 400 + (out.month <= 2 ? 1 : 0);
  return out;
}

bool is_leap_year(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

}  // namespace firstfault
