#include "parser/dumps/json_document.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

TEST(JsonDocument, EntriesKnowTheirPlace) {
  const std::string bytes = "\n{\"entries\": [{\"a\": 1}, {\"b\": \"\\u00e4\"}]}\n";
  const Result<Document> doc = read_json(bytes);
  ASSERT_TRUE(doc) << doc.error().message;
  Children entries = doc->children(*doc->find(doc->root(), "entries"));
  const Value* first = entries.next();
  const Value* second = entries.next();
  EXPECT_EQ(bytes.substr(doc->begin(*first), doc->end(*first) - doc->begin(*first)), "{\"a\": 1}");
  EXPECT_EQ(bytes.substr(doc->begin(*second), doc->end(*second) - doc->begin(*second)),
            "{\"b\": \"\\u00e4\"}");
  EXPECT_EQ(doc->text(*doc->find(*second, "b")), "\xC3\xA4");
}

TEST(JsonDocument, TextSurvivesMovingADocumentWithShortText) {
  Result<Document> doc = read_json("{\"a\":\"b\"}");
  ASSERT_TRUE(doc);
  const Document moved = std::move(doc).value();
  EXPECT_EQ(moved.text(*moved.find(moved.root(), "a")), "b");
}

TEST(JsonDocument, TornNumberIsNotBelieved) {
  const Result<Document> doc = read_json("{\"a\": 5, \"time_created_ns\": 17960");
  ASSERT_TRUE(doc) << doc.error().message;
  EXPECT_TRUE(doc->truncated());
  EXPECT_NE(doc->find(doc->root(), "a"), nullptr);
  EXPECT_EQ(doc->find(doc->root(), "time_created_ns"), nullptr);
}

TEST(JsonDocument, EveryCutIsReadOrRefused) {
  const std::string whole = "{\"a\": [1, {\"b\": null}, \"x\\u00e4\"], \"c\": true, \"d\": -1.5e3}";
  for (std::size_t n = 1; n < whole.size(); ++n) {
    const Result<Document> doc = read_json(whole.substr(0, n));
    ASSERT_TRUE(doc) << n << ": " << doc.error().message;
    EXPECT_TRUE(doc->truncated());
  }
  EXPECT_FALSE(read_json(""));
}

TEST(JsonDocument, NotJsonIsAnErrorWithItsPlace) {
  const Result<Document> doc = read_json("{\"a\": nope}");
  ASSERT_FALSE(doc);
  EXPECT_NE(doc.error().message.find("column 8"), std::string::npos) << doc.error().message;
}

TEST(JsonDocument, MillionBracketsHitTheDepthLimit) {
  const Result<Document> doc = read_json(std::string(1'000'000, '['));
  ASSERT_FALSE(doc);
  EXPECT_NE(doc.error().message.find("nested deeper"), std::string::npos);
}

TEST(JsonDocument, RepeatedKeysTakeTheirTextOnce) {
  std::string bytes = "[";
  for (int i = 0; i < 1000; ++i)
    bytes += std::string(i == 0 ? "" : ",") + "{\"collective_seq_id\":1}";
  const Result<Document> doc = read_json(bytes + "]");
  ASSERT_TRUE(doc);
  Children list = doc->children(doc->root());
  Children a = doc->children(*list.next()), b = doc->children(*list.next());
  EXPECT_EQ(a.next()->bits, b.next()->bits);
}

}  // namespace
}  // namespace firstfault
