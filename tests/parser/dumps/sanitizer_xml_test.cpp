#include "parser/dumps/sanitizer_xml.h"

#include <gtest/gtest.h>

#include "parser/io/sniff.h"
#include "support/support.h"

namespace firstfault {
namespace {

std::string report() {
  return test::read_file(test::source_path("tests/fuzz/seeds/sanitizer_xml/two.xml"));
}

TEST(SanitizerXml, SaysWhatTheTextFormSays) {
  EXPECT_EQ(sniff_kind(report(), "x"), SourceKind::sanitizer);
  const std::deque<RecordItem> items = read_sanitizer_xml(report());
  ASSERT_EQ(items.size(), 2u);
  const auto& access = std::get<GpuException>(items[0].record);
  EXPECT_EQ(access.exception, "Invalid __global__ write of size 4 bytes is out of bounds");
  EXPECT_EQ(access.kernel, "small_oob");
  EXPECT_EQ(access.source, "c.cu:9");
  EXPECT_EQ(access.thread, "(4,0,0)");
  EXPECT_EQ(access.block, "(0,0,0)");
  const auto& call = std::get<CudaError>(items[1].record);
  EXPECT_EQ(call.code, 719);
  EXPECT_EQ(call.name, "cudaErrorLaunchFailure");
  EXPECT_EQ(call.text, "unspecified launch failure");
  EXPECT_EQ(call.api, "cudaGetLastError");
}

TEST(SanitizerXml, ThreadsWithTheSameFaultAreCounted) {
  std::string bytes = report();
  const std::size_t from = bytes.find("  <record>"), to = bytes.find("</record>\n") + 10;
  const std::string one = bytes.substr(from, to - from);
  for (int i = 0; i < 27; ++i) bytes.insert(from, one);
  const std::deque<RecordItem> items = read_sanitizer_xml(bytes);
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].count, 28u);
}

TEST(SanitizerXml, TornReportGivesWhatWasComplete) {
  const std::string bytes = report();
  EXPECT_EQ(read_sanitizer_xml(bytes.substr(0, bytes.find("</record>") + 40)).size(), 1u);
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<record>";
  EXPECT_TRUE(read_sanitizer_xml(deep).empty());
}

}  // namespace
}  // namespace firstfault
