#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "made_case.h"
#include "support/json_schema.h"
#include "support/support.h"

namespace firstfault {
namespace {

using test::MadeCase;

const std::string& schema() {
  static const std::string kText = test::read_file(test::source_path("docs/report.schema.json"));
  return kText;
}

void expect_valid(const std::string& json) {
  for (const std::string& problem : test::validate(schema(), json)) ADD_FAILURE() << problem;
  EXPECT_TRUE(json.ends_with("}\n"));
}

bool has(const std::string& json, std::string_view part) {
  return json.find(part) != std::string::npos;
}

std::size_t times(const std::string& json, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = json.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

TEST(JsonReport, MismatchSaysWhoCalledWhat) {
  const std::string json = test::mismatch().json();
  expect_valid(json);
  EXPECT_TRUE(has(json, R"("hash": "0x3c6c008ecef52c2e")"));
  EXPECT_TRUE(has(json, R"("ranks": "0-1,3",
          "op": "ALLREDUCE",
          "count": "1048576")"));
  EXPECT_TRUE(has(json, R"("earliest": "2026-12-01T03:44:47.902")"));
  EXPECT_TRUE(has(json, R"("clock": "k0")"));
  EXPECT_TRUE(has(json, R"("majority": "LL")"));
  EXPECT_TRUE(has(json, R"("signal": "SIGKILL")"));
  EXPECT_FALSE(has(json, "omitted"));
}

TEST(JsonReport, EveryStatusFitsTheSchema) {
  for (const VerdictStatus status :
       {VerdictStatus::fault_found, VerdictStatus::no_fault, VerdictStatus::inconclusive}) {
    const std::string json = test::ended(status, "title").json();
    expect_valid(json);
    EXPECT_TRUE(has(json, "\"first_failure\": null"));
    EXPECT_TRUE(has(json, "\"cause\": null"));
  }
}

TEST(JsonReport, JobWithoutAttemptsIsStillAReport) {
  MadeCase c;
  expect_valid(c.json());
  c.diagnosis.attempt = -1;
  expect_valid(c.json());
}

TEST(JsonReport, LongListsAreCutAndCounted) {
  const std::string json = test::flood(1024, "text").json();
  expect_valid(json);
  EXPECT_TRUE(has(json, R"("skipped_omitted": 100)"));
  EXPECT_TRUE(has(json, R"("nodes_omitted": 100)"));
  EXPECT_TRUE(has(json, R"("edges_omitted": 100)"));
  EXPECT_TRUE(has(json, R"("chain_omitted": 50)"));
  EXPECT_TRUE(has(json, R"("omitted": 32)"));   // of 40 quotes
  EXPECT_TRUE(has(json, R"("omitted": 960)"));  // of 1,024 rows
  EXPECT_EQ(times(json, "\"grade\""), 64u);
}

TEST(JsonReport, RowsGoToTheFailedCollectiveFirst) {
  MadeCase c = test::flood(64, "text");  // 63 different rows and a silent rank in slot 7
  auto& slots = c.job.attempts[0].communicators[0].slots;
  Slot early;
  early.seq = 3;
  early.cells[0] = test::issued(OpKind::all_reduce, 1);
  early.cells[1] = test::issued(OpKind::all_reduce, 2);
  slots.insert(slots.begin(), early);
  const std::string json = c.json();
  expect_valid(json);
  EXPECT_TRUE(has(json, R"("slot": 7)"));
  EXPECT_FALSE(has(json, R"("slot": 3)"));
  EXPECT_TRUE(has(json, R"("collectives_omitted": 1)"));
}

TEST(JsonReport, BytesThatAreNotUtf8AreReplaced) {
  MadeCase c = test::flood(4, "a\xFF\x1b[2J\"\\ \xE2\x80\xAE");
  const std::string json = c.json();
  expect_valid(json);
  EXPECT_TRUE(std::all_of(json.begin(), json.end(), [](char b) {
    return b == '\n' || static_cast<unsigned char>(b) >= 0x20;
  }));
}

TEST(JsonReport, EvidenceOfAnUnknownSourceHasNoFile) {
  MadeCase c = test::mismatch();
  c.diagnosis.verdict.first_failure->evidence[0].source = 99;
  expect_valid(c.json());
  EXPECT_TRUE(has(c.json(), "\"file\": null"));
}

TEST(JsonReport, NoTimeWithoutAYear) {
  MadeCase c = test::mismatch();
  c.job.year_known = false;
  expect_valid(c.json());
  EXPECT_FALSE(has(c.json(), "03:44:47"));
}

TEST(JsonReport, ATieIsNoMajority) {
  MadeCase c = test::mismatch();
  c.job.attempts[0].settings["NCCL_PROTO"] = {{"LL", {0, 1}}, {"Simple", {2, 3}}};
  const std::string json = c.json();
  expect_valid(json);
  EXPECT_TRUE(has(json, R"("majority": null,
        "others": {
          "LL": "0-1",
          "Simple": "2-3")"));
}

TEST(JsonReport, SameInputSameBytes) {
  EXPECT_EQ(test::flood(64, "text").json(), test::flood(64, "text").json());
}

TEST(JsonSchema, RefusesWhatTheContractForbids) {
  const std::string good = test::mismatch().json();
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    const std::size_t at = bad.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) bad.replace(at, from.size(), to);
    return test::validate(schema(), bad);
  };
  EXPECT_EQ(broken("\"fault_found\"", "\"found\"").size(), 1u);
  EXPECT_FALSE(broken("\"must_be\"", "\"must\"").empty());
  EXPECT_FALSE(broken("\"count\": \"1048576\"", "\"count\": 1048576").empty());
  EXPECT_FALSE(broken("\"0x3c6c008ecef52c2e\"", "\"3c6c\"").empty());
  EXPECT_FALSE(broken("\"2026-12-01T03:44:47.902\"", "\"2026-12-01 03:44:47\"").empty());
  EXPECT_FALSE(broken("\"0-1,3\"", "\"[0, 1, 3]\"").empty());
}

TEST(JsonSchema, NamesThePlaceOfAProblem) {
  const auto problems = test::validate(
      R"({"properties": {"a/b": {"type": "array", "items": {"$ref": "#/$defs/n"}}},
          "additionalProperties": false, "$defs": {"n": {"type": ["integer", "null"]}}})",
      R"({"a/b": [1, null, "x"], "c": 0})");
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0], "/a~1b/2: should be [\"integer\",\"null\"], is string");
  EXPECT_EQ(problems[1], "/: has unknown key \"c\"");
}

TEST(JsonSchema, BrokenSchemaIsAProblemNotAPass) {
  EXPECT_FALSE(test::validate(R"({"minimum": 1})", "0").empty());
  EXPECT_FALSE(test::validate(R"({"$ref": "#/$defs/none"})", "0").empty());
  EXPECT_FALSE(
      test::validate(R"({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}})", "0")
          .empty());
  EXPECT_FALSE(test::validate("{", "0").empty());
  EXPECT_FALSE(test::validate("{}", "{").empty());
}

}  // namespace
}  // namespace firstfault
