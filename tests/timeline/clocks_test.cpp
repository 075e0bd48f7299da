#include "timeline/clocks.h"

#include <gtest/gtest.h>

#include "timeline/builder.h"
#include "timeline/civil.h"

namespace firstfault::test {
namespace {

std::int64_t day(std::int64_t y, int m, int d) {
  return days_from_civil(y, m, d) * kNanosecondsPerDay;
}

Stamp yearless(int month, int d) {
  Stamp s;
  s.clock = Clock::wall;
  s.grade = StampGrade::printed;
  s.yearless = true;
  s.time = Interval::at(day(2000, month, d));
  return s;
}

TEST(Civil, days_and_dates_are_inverse_over_leap_years_and_before_1970) {
  for (std::int64_t d : {-800'000LL, -1LL, 0LL, 11'016LL, 20'788LL, 100'000LL}) {
    const CivilDate c = civil_from_days(d);
    EXPECT_EQ(days_from_civil(c.year, c.month, c.day), d);
  }
  EXPECT_EQ(days_from_civil(2026, 12, 1), 20'788);
}

TEST(JobClock, year_of_new_years_eve_is_that_of_the_nearest_full_stamp) {
  FactsBuilder job;
  Stamp full = wall_at(0);
  full.time = Interval::at(day(2027, 1, 1));
  job.log("/job/a.log").at(full).event("context.progress");
  const JobClock clock(job.facts(), {});
  EXPECT_TRUE(clock.year_known());
  EXPECT_EQ(clock.at(yearless(12, 31)).lo, day(2026, 12, 31));
  EXPECT_EQ(clock.at(yearless(1, 1)).lo, day(2027, 1, 1));
}

TEST(JobClock, leap_day_goes_to_a_leap_year) {
  FactsBuilder job;
  Stamp full = wall_at(0);
  full.time = Interval::at(day(2028, 3, 1));
  job.log("/job/a.log").at(full).event("context.progress");
  EXPECT_EQ(JobClock(job.facts(), {}).at(yearless(2, 29)).lo, day(2028, 2, 29));
}

TEST(JobClock, kernel_log_of_other_years_does_not_set_the_year) {
  FactsBuilder job;
  Stamp old = wall_at(0), own = wall_at(0);
  old.time = Interval::at(day(2020, 12, 1));
  own.time = Interval::at(day(2026, 12, 2));
  job.log("/job/kern.log", {.kind = SourceKind::kernel_log}).at(old).event("kernel.pcie");
  job.log("/job/a.log").at(own).event("context.progress");
  EXPECT_EQ(JobClock(job.facts(), {}).at(yearless(12, 1)).lo, day(2026, 12, 1));
}

TEST(JobClock, wall_clock_of_another_zone_is_laid_on_epoch_time) {
  Stamp printed = wall_at(1'000'000 + 5.5 * 3600 + 12, 1);  // India, 12 s after the enqueue
  const ClockPair pair{printed, 12 * kSecond, 1'000'000 * kSecond, "n"};
  const JobClock clock(Facts{}, {pair});
  EXPECT_TRUE(clock.zone_proven());
  EXPECT_EQ(clock.at(printed).lo, 1'000'012 * kSecond);
  ASSERT_EQ(clock.infos().size(), 1u);
  EXPECT_DOUBLE_EQ(clock.infos()[0].offset_s, 19'800);
}

TEST(JobClock, pair_that_is_off_by_minutes_proves_no_zone) {
  const ClockPair pair{wall_at(1'000'000 + 700), 0, 1'000'000 * kSecond, ""};
  EXPECT_FALSE(JobClock(Facts{}, {pair}).zone_proven());
}

TEST(JobClock, boot_seconds_have_no_place_on_the_axis) {
  EXPECT_TRUE(JobClock(Facts{}, {}).at(boot_at(115)).unknown());
}

TEST(JobClock, bounds_at_the_ends_of_the_range_do_not_overflow) {
  FactsBuilder job;
  Stamp wild = wall_at(0);
  wild.time = {kTimeMin + 1, kTimeMax - 1};
  job.log("/job/a.log").at(wild).event("context.progress");
  const JobClock clock(job.facts(), {{wild, kTimeMax, kTimeMax, ""}});
  clock.at(yearless(6, 1));
  EXPECT_EQ(clock.at(wild).lo, kTimeMin + 1);
}

}  // namespace
}  // namespace firstfault::test
