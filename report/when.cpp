#include "report/when.h"

#include <fmt/format.h>

#include <chrono>

namespace firstfault {

std::string iso_time(std::int64_t ns) {
  using namespace std::chrono;
  const auto ms = floor<milliseconds>(sys_time<nanoseconds>(nanoseconds(ns)));
  const auto day = floor<days>(ms);
  const year_month_day date{day};
  const hh_mm_ss time{ms - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count());
}

}  // namespace firstfault
