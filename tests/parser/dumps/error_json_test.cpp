#include "parser/dumps/error_json.h"

#include <gtest/gtest.h>

#include "support/support.h"

namespace firstfault {
namespace {

using test::read_file;
using test::source_path;

TEST(ErrorJson, ExceptionOfAWorker) {
  Stamp when;
  const Result<ExceptionReport> report =
      read_error_json(read_file(source_path("tests/data/error_json/value_error.json")), &when);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->type, "ValueError");
  EXPECT_EQ(report->message, "batch 4 has 0 tokens after filtering");
  ASSERT_EQ(report->frames.size(), 2u);
  EXPECT_EQ(report->frames[1].file, "/workspace/trainer/train.py");
  EXPECT_EQ(report->frames[1].line, 30);
  EXPECT_EQ(report->frames[1].function, "main");
  EXPECT_EQ(report->cause_type, "");
  EXPECT_EQ(when.clock, Clock::utc);
  EXPECT_EQ(when.grade, StampGrade::printed);
  EXPECT_EQ(when.time, Interval::between(1796097671 * kSecond, 1796097672 * kSecond));
}

TEST(ErrorJson, TypeGetsItsModuleFromTheTraceback) {
  Stamp when;
  const Result<ExceptionReport> report =
      read_error_json(read_file(source_path("tests/data/error_json/nccl_error.json")), &when);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->type, "torch.distributed.DistBackendError");
  EXPECT_NE(report->message.find("\nncclRemoteError: A call failed"), std::string::npos);
  EXPECT_EQ(report->frames.back().function, "reduce_scatter_tensor");
}

TEST(ErrorJson, OldFormWithAPlainStringAndOuterTime) {
  Stamp when;
  const Result<ExceptionReport> report =
      read_error_json(R"({"message": "RuntimeError: x: y", "timestamp": 1700000000})", &when);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->type, "RuntimeError");
  EXPECT_EQ(report->message, "x: y");
  EXPECT_EQ(when.time.lo, 1700000000 * kSecond);
}

TEST(ErrorJson, SentenceBeforeAColonIsNoType) {
  Stamp when;
  const Result<ExceptionReport> report =
      read_error_json(R"({"message": {"message": "Signal 9 received: killed"}})", &when);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->type, "");
  EXPECT_EQ(report->message, "Signal 9 received: killed");
  EXPECT_EQ(when, Stamp{});
}

TEST(ErrorJson, ChainKeepsItsOrigin) {
  Stamp when;
  const Result<ExceptionReport> report = read_error_json(
      R"({"message": {"message": "RuntimeError: second", "extraInfo": {"py_callstack": )"
      R"("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x()\nKeyError: 'k'\n\n)"
      R"(The above exception was the direct cause of the following exception:\n\n)"
      R"(Traceback (most recent call last):\n  File \"b.py\", line 2, in g\nRuntimeError: second\n"}}})",
      &when);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->cause_type, "KeyError");
  EXPECT_EQ(report->cause_message, "'k'");
  ASSERT_EQ(report->frames.size(), 1u);
  EXPECT_EQ(report->frames[0].file, "b.py");
}

TEST(ErrorJson, AbsurdTimeIsNoTime) {
  Stamp when;
  ASSERT_TRUE(read_error_json(R"({"message": "E: x", "timestamp": "99999999999999"})", &when));
  EXPECT_EQ(when, Stamp{});
  ASSERT_TRUE(read_error_json(R"({"message": "E: x", "timestamp": "-5"})", &when));
  EXPECT_EQ(when, Stamp{});
}

TEST(ErrorJson, OtherJsonIsAnError) {
  Stamp when;
  EXPECT_FALSE(read_error_json("{}", &when));
  EXPECT_FALSE(read_error_json("[1]", &when));
  EXPECT_FALSE(read_error_json("not json", &when));
}

TEST(ErrorJson, EndlessStackKeepsItsInnermostFrames) {
  std::string stack = "Traceback (most recent call last):\\n";
  for (int i = 1; i <= 5000; ++i) {
    stack += "  File \\\"r.py\\\", line " + std::to_string(i) + ", in r\\n";
  }
  Stamp when;
  const Result<ExceptionReport> report = read_error_json(
      "{\"message\": {\"message\": \"RecursionError: deep\", \"extraInfo\": {\"py_callstack\": \"" +
          stack + "RecursionError: deep\\n\"}}}",
      &when);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->frames.size(), 64u);
  EXPECT_EQ(report->frames.back().line, 5000);
}

}  // namespace
}  // namespace firstfault
