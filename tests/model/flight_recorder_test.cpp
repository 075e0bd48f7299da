#include "model/flight_recorder.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

TEST(FlightRecorder, TimesAreThoseThatEntriesTell) {
  FrDump dump;
  dump.measure_times();
  EXPECT_TRUE(dump.created.unknown());
  EXPECT_EQ(dump.last_created_ns, 0);
  for (const std::int64_t ns : {std::int64_t{0}, std::int64_t{300}, std::int64_t{100}, kTimeMax}) {
    FrEntry entry;
    entry.created_ns = ns;
    dump.entries.push_back(entry);
  }
  dump.measure_times();
  EXPECT_EQ(dump.created, Interval::between(100, 300));
  EXPECT_EQ(dump.last_created_ns, 100);
}

}  // namespace
}  // namespace firstfault
