#include "parser/dumps/pickle.h"

#include <gtest/gtest.h>

#include "support/support.h"

namespace firstfault {
namespace {

using test::read_file;
using test::source_path;
using namespace std::string_literals;

std::string error_of(std::string_view bytes, const DumpLimits& limits = {}) {
  const Result<Document> doc = read_pickle(bytes, limits);
  return doc ? "" : doc.error().message;
}

TEST(Pickle, ReadsWhatTheTorchScriptPicklerWrites) {
  // {"a": [1, -2, 2.5, None, True], "b": ("a", 1796096779592712797)}
  const std::string bytes = "\x80\x02}("s + "X\1\0\0\0a"s + "q\0"s +
                            "](K\1J\xFE\xFF\xFF\xFFG\x40\x04\0\0\0\0\0\0N\x88"s + "e" +
                            "X\1\0\0\0b"s + "q\1" + "h\0"s +
                            "\x8a\x08\x5d\x21\x23\xbc\xb8\x01\xed\x18"s + "\x86" + "u.";
  const Result<Document> doc = read_pickle(bytes);
  ASSERT_TRUE(doc) << doc.error().message;
  EXPECT_FALSE(doc->truncated());
  const Value* list = doc->find(doc->root(), "a");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(doc->size(*list), 5u);
  EXPECT_EQ(bytes[doc->begin(*list)], ']');
  EXPECT_EQ(bytes[doc->end(*list) - 1], 'e');
  Children items = doc->children(*list);
  EXPECT_EQ(doc->number(*items.next()), 1);
  EXPECT_EQ(doc->number(*items.next()), -2);
  EXPECT_EQ(doc->number(*items.next()), std::nullopt);  // 2.5 is no whole number
  EXPECT_TRUE(items.next()->is(ValueKind::none));
  EXPECT_EQ(doc->number(*items.next()), 1);
  EXPECT_EQ(items.next(), nullptr);
  Children pair = doc->children(*doc->find(doc->root(), "b"));
  EXPECT_EQ(doc->text(*pair.next()), "a");
  EXPECT_EQ(doc->number(*pair.next()), 0x18ed01b8bc23215dLL);
}

TEST(Pickle, ReadsPythonsProtocol5) {
  // pickle.dumps({"k": [7], "t": ("x", "k")}, 5)
  const std::string bytes = "\x80\x05\x95\x1c\0\0\0\0\0\0\0}\x94(\x8c\x01k\x94]\x94K\x07"s +
                            "a\x8c\x01t\x94\x8c\x01x\x94h\x01\x86\x94u.";
  const Result<Document> doc = read_pickle(bytes);
  ASSERT_TRUE(doc) << doc.error().message;
  Children list = doc->children(*doc->find(doc->root(), "k"));
  EXPECT_EQ(doc->number(*list.next()), 7);
  Children pair = doc->children(*doc->find(doc->root(), "t"));
  EXPECT_EQ(doc->text(*pair.next()), "x");
  EXPECT_EQ(doc->text(*pair.next()), "k");
}

TEST(Pickle, CodeInAPickleIsRefusedByNameAndPlace) {
  struct Case {
    std::string bytes, name;
  };
  const Case cases[] = {
      {"\x80\x02"
       "cos\nsystem\n(X\2\0\0\0lstR."s,
       "opcode GLOBAL at offset 2"},
      {"\x80\x04\x8c\2os\x8c\6system\x93."s, "opcode STACK_GLOBAL at offset 14"},
      {"\x80\x02}R."s, "opcode REDUCE at offset 3"},
      {"\x80\x02}b."s, "opcode BUILD at offset 3"},
      {"\x80\x02\x81."s, "opcode NEWOBJ at offset 2"},
      {"\x80\x02Q."s, "opcode BINPERSID at offset 2"},
      {"\x80\x02Pid\n."s, "opcode PERSID at offset 2"},
      {"\x80\x02(ios\nsystem\n."s, "opcode INST at offset 3"},
      {"\x80\x02(o."s, "opcode OBJ at offset 3"},
      {"\x80\x02\x82\1."s, "opcode EXT1 at offset 2"},
      {"\x80\x05\x97."s, "opcode NEXT_BUFFER at offset 2"},
      {"\x80\x02\xff."s, "opcode unknown at offset 2"},
  };
  for (const Case& c : cases) {
    EXPECT_NE(error_of(c.bytes).find(c.name), std::string::npos) << error_of(c.bytes);
  }
}

TEST(Pickle, BrokenStructureIsAnErrorNotACrash) {
  const std::string cases[] = {
      "\x80\x02h\5."s,                 // memo entry that does not exist
      "\x80\x02q\0."s,                 // nothing to memoise
      "\x80\x02}r\xFF\xFF\xFF\xFF."s,  // memo number that would need gigabytes
      "\x80\x02u."s,                   // SETITEMS without a mark
      "\x80\x02(u."s,                  // ... without a dict
      "\x80\x02K\1(K\1u."s,            // ... on a number
      "\x80\x02}(K\1u."s,              // a key without a value
      "\x80\x02\x87."s,                // TUPLE3 of nothing
      "\x80\x02(K\1\x86."s,            // TUPLE2 across a mark
      "\x80\x02}K\1s."s,               // SETITEM with one value
      "\x80\x02."s,                    // nothing
      "\x80\x02}}."s,                  // two values
      "\x80\x02}(."s,                  // an open mark
      "\x80\x09}."s,                   // protocol of the future
      "\x80\x02\x8a\x09"
      "123456789."s,  // integer of nine bytes
  };
  for (const std::string& bytes : cases)
    EXPECT_NE(error_of(bytes), "") << testing::PrintToString(bytes);
}

TEST(Pickle, ListThatContainsItselfEnds) {
  const Result<Document> doc = read_pickle("\x80\x02]q\0(h\0h\0e."s);
  ASSERT_TRUE(doc) << doc.error().message;
  Children list = doc->children(doc->root());
  const Value* first = list.next();
  EXPECT_EQ(first->container(), doc->root().container());
  EXPECT_EQ(doc->size(*first), 2u);
  EXPECT_LE(doc->counters().nodes, 3u);
}

TEST(Pickle, MillionNestedListsHitTheDepthLimit) {
  std::string bytes = "\x80\x02";
  for (int i = 0; i < 1'000'000; ++i) bytes += "](";
  EXPECT_NE(error_of(bytes).find("nested deeper"), std::string::npos);
  // Without marks nothing nests, the values only pile up: that is bounded by count.
  DumpLimits few;
  few.nodes = 1000;
  EXPECT_NE(error_of("\x80\x02" + std::string(2000, ']'), few).find("more than 1000 values"),
            std::string::npos);
}

TEST(Pickle, LimitsOfTextAndMemoHold) {
  DumpLimits limits;
  limits.text = 3;
  limits.memo = 2;
  EXPECT_NE(error_of("\x80\x02X\4\0\0\0abcd."s, limits).find("longer than 3"), std::string::npos);
  EXPECT_NE(error_of("\x80\x02}q\0q\1q\2."s, limits).find("more than 2 memo"), std::string::npos);
}

TEST(Pickle, WorkIsLinearInTheInput) {
  const auto build = [](int n) {
    std::string bytes = "\x80\x02]q\0("s;
    for (int i = 0; i < n; ++i) bytes += "}(h\0h\0u"s;  // every dict refers to the whole list
    return bytes + "e.";
  };
  const auto work = [&](int n) { return read_pickle(build(n))->counters(); };
  const DumpCounters one = work(1000), ten = work(10000);
  EXPECT_LE(ten.opcodes, 10 * one.opcodes);
  EXPECT_LE(ten.nodes, 10 * one.nodes);
  EXPECT_LE(ten.moved, 10 * one.moved);
  EXPECT_EQ(ten.bytes, build(10000).size());
}

TEST(Pickle, TornFileGivesWhatWasComplete) {
  const std::string whole = read_file(source_path("tests/data/flight_recorder/mismatch_op_rank_2"));
  std::size_t readable = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const Result<Document> doc = read_pickle(std::string_view(whole).substr(0, n));
    if (!doc) {
      EXPECT_LT(n, 3u) << doc.error().message;  // only before the top-level dict
      continue;
    }
    ++readable;
    EXPECT_TRUE(doc->truncated());
    EXPECT_EQ(doc->size(doc->root()) % 2, 0u);
    // Only the memo number of the whole dict and STOP may be missing from a closed one.
    EXPECT_EQ(doc->closed(doc->root()), n + 4 > whole.size()) << n;
  }
  EXPECT_GT(readable, whole.size() - 5);
}

TEST(Pickle, ManyBatchesOfItemsMakeOneContainer) {
  // As Python writes long lists: 1,000 items at a time, other containers between the batches.
  std::string bytes = "\x80\x04]\x94"s;
  for (int batch = 0; batch < 5; ++batch) bytes += "(K\1](K\2eK\3e";
  bytes += ".";
  const Result<Document> doc = read_pickle(bytes);
  ASSERT_TRUE(doc) << doc.error().message;
  EXPECT_EQ(doc->size(doc->root()), 15u);
  std::int64_t sum = 0;
  Children items = doc->children(doc->root());
  while (const Value* v = items.next()) sum += doc->number(*v).value_or(100);
  EXPECT_EQ(sum, 5 * (1 + 100 + 3));
}

TEST(Pickle, BuffersOfOneDocumentServeTheNextAndLeaveNothing) {
  const std::string small = "\x80\x02](K\1e."s;
  DumpCounters first;
  for (int round = 0; round < 3; ++round) {
    std::string large = "\x80\x02](";
    for (int i = 0; i < 10'000; ++i) large += "](K\7e"s;
    large += "e.";
    {
      const Result<Document> doc = read_pickle(large);
      ASSERT_TRUE(doc);
      EXPECT_EQ(doc->size(doc->root()), 10'000u);
      if (round == 0) first = doc->counters();
      EXPECT_EQ(doc->counters().nodes, first.nodes);
      EXPECT_EQ(doc->counters().moved, first.moved);
    }
    const Result<Document> one = read_pickle(small), other = read_pickle(small);  // both alive
    for (const Result<Document>* doc : {&one, &other}) {
      ASSERT_TRUE(*doc);
      EXPECT_EQ((*doc)->container_count(), 1u);
      EXPECT_EQ((*doc)->size((*doc)->root()), 1u);
    }
  }
}

}  // namespace
}  // namespace firstfault
