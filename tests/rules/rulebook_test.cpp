#include "rules/rulebook.h"

#include <gtest/gtest.h>

#include "rules/reference_matcher.h"
#include "rules/rule_test.h"
#include "support/support.h"

namespace firstfault {
namespace {

std::vector<std::string> classes_of(const Rulebook& book, std::string_view line) {
  std::vector<std::string> out;
  book.reference_matcher().match(line, SourceKind::rank_log,
                                 [&](Event e, std::size_t, std::size_t) { out.push_back(e.cls); });
  return out;
}

Rulebook built_in() {
  Result<Rulebook> book = Rulebook::built_in();
  EXPECT_TRUE(book) << (book ? "" : book.error().message);
  return std::move(*book);
}

TEST(Rulebook, EverySampleIsClaimedByItsOwnRule) {
  const RuleTestReport report = test_rules(built_in());
  EXPECT_GT(report.samples, report.rules);
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
}

TEST(Rulebook, QuotedErrorInsideAUsersExceptionIsNotThatError) {
  const Rulebook book = built_in();
  EXPECT_TRUE(classes_of(book,
                         "RuntimeError: CUDA error: uncorrectable ECC error encountered (simulated "
                         "by the test, attempt 0)")
                  .empty());
  EXPECT_EQ(classes_of(book, "RuntimeError: CUDA error: uncorrectable ECC error encountered"),
            std::vector<std::string>{"cuda.memory_ecc"});
}

TEST(Rulebook, FirstSignatureOfAFamilyWins) {
  const Rulebook book = built_in();
  EXPECT_EQ(
      classes_of(
          book,
          "NVRM: Xid (PCI:0000:17:00): 79, pid=1234, name=python, GPU has fallen off the bus."),
      std::vector<std::string>{"kernel.xid_bus"});
}

struct Broken {
  const char* name;
  const char* text;
  const char* expected;
};

class BrokenRules : public testing::TestWithParam<Broken> {};

TEST_P(BrokenRules, IsRefusedWithItsPlace) {
  const test::TempDir dir;
  dir.write("bad.json", GetParam().text);
  Rulebook book = built_in();
  const std::size_t before = book.rule_count();
  const Status added = book.add_directory(dir.path().string());
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().message.find(GetParam().expected), std::string::npos)
      << added.error().message;
  EXPECT_NE(added.error().message.find('^'), std::string::npos);
  EXPECT_EQ(book.rule_count(), before);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BrokenRules,
    testing::Values(
        Broken{"comma", "{\n  \"signatures\": [,]\n}", "bad.json:2:"},
        Broken{"section", "{\"signature\": []}", "unknown section"},
        Broken{"regex",
               "{\"signatures\": "
               "[{\"id\":\"a.b\",\"family\":\"f\",\"class\":\"app.usage\",\"anchors\":[\"abcd\"],"
               "\"pattern\":\"abcd(\",\"hit\":[\"abcd\"],\"doc\":\"d\"}]}",
               "pattern"},
        Broken{"anchor",
               "{\"signatures\": "
               "[{\"id\":\"a.b\",\"family\":\"f\",\"class\":\"app.usage\",\"anchors\":[\"ab\"],"
               "\"pattern\":\"ab\",\"hit\":[\"ab\"],\"doc\":\"d\"}]}",
               "shorter than 4"},
        Broken{"sample",
               "{\"signatures\": "
               "[{\"id\":\"a.b\",\"family\":\"f\",\"class\":\"app.usage\",\"anchors\":[\"abcd\"],"
               "\"pattern\":\"abcd\",\"hit\":[\"xyz\"],\"doc\":\"d\"}]}",
               "own sample"},
        Broken{"capture",
               "{\"signatures\": "
               "[{\"id\":\"a.b\",\"family\":\"f\",\"class\":\"app.usage\",\"anchors\":[\"abcd\"],"
               "\"pattern\":\"abcd(?P<nonsense>x)?\",\"hit\":[\"abcd\"],\"doc\":\"d\"}]}",
               "unknown capture"},
        Broken{"huge",
               "{\"signatures\": "
               "[{\"id\":\"a.b\",\"family\":\"f\",\"class\":\"app.usage\",\"anchors\":[\"abcd\"],"
               "\"pattern\":\"abcd((x{900}){900})?\",\"hit\":[\"abcd\"],\"doc\":\"d\"}]}",
               "pattern"},
        Broken{"duplicate",
               "{\"signatures\": "
               "[{\"id\":\"kernel.oom\",\"family\":\"f\",\"class\":\"app.usage\",\"anchors\":["
               "\"abcd\"],\"pattern\":\"abcd\",\"hit\":[\"abcd\"],\"doc\":\"d\"}]}",
               "defined twice"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(Rulebook, HashFollowsContent) {
  Rulebook a = built_in();
  EXPECT_EQ(a.hash(), built_in().hash());
  const test::TempDir dir;
  dir.write("site.json", "{\"equal\": [{\"name\": \"SITE_X\", \"severity\": \"breaks\"}]}");
  const std::string before = a.hash();
  ASSERT_TRUE(a.add_directory(dir.path().string()));
  EXPECT_NE(a.hash(), before);
}

}  // namespace
}  // namespace firstfault
