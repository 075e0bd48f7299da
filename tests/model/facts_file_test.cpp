#include "model/facts_file.h"

#include <gtest/gtest.h>

#include <random>

#include "model/digest/archive.h"

namespace firstfault {
namespace {

template <std::size_t I = 0>
void add_every_record(std::deque<RecordItem>* out) {
  if constexpr (I < std::variant_size_v<Record>) {
    RecordItem item;
    item.speaker = I % 2;
    item.count = I + 1;
    item.first = {Clock::utc, StampGrade::printed, false,
                  Interval::between(I * kSecond, 2 * I * kSecond), 17};
    item.quote = {1000 * I,  80, static_cast<std::uint32_t>(I + 1), "", "line " + std::to_string(I),
                  I % 3 == 0};
    item.record.emplace<I>();
    out->push_back(item);
    add_every_record<I + 1>(out);
  }
}

FrDump sample_dump() {
  FrDump dump;
  dump.version = "2.10";
  dump.comm_lib_version = "2.28.9";
  dump.groups = {{"0", "default_pg", RankSet{0, 1, 2, 1023}, 10, -1, 9},
                 {"2", "", std::nullopt, {}, {}, {}}};
  dump.strings = {"", "nccl:all_reduce", "[[1048576]]", "Float"};
  dump.stacks = {{}, {{"step", "/w/train.py", 31}, {"<module>", "/w/train.py", 90}}};
  for (std::int64_t i = 0; i < 5; ++i) {
    FrEntry e;
    e.group = i % 2;
    e.record_id = 100 + i;
    e.collective_seq = i;
    e.p2p_seq = -1 - i;
    e.op_id = i * 7;
    e.is_p2p = i == 3;
    e.kind = OpKind::coalesced;
    e.peer = 2;
    e.name = 1;
    e.in_shape = 2;
    e.out_shape = 2;
    e.in_dtype = 3;
    e.out_dtype = 3;
    e.in_numel = 1048576;
    e.out_numel = i == 4 ? kTimeMax : -1;
    e.state = FrState::completed;
    e.retired = i % 2 == 0;
    e.created_ns = i == 2 ? kTimeMin : 1796096779592712797 + i;
    e.discovered_started_ns = 0;
    e.discovered_completed_ns = kTimeMax - i;
    e.timeout_ms = 12000;
    e.stack = 1;
    e.offset = 409 + 137 * static_cast<std::uint64_t>(i);
    e.length = 137;
    dump.entries.push_back(e);
  }
  dump.entries_total = 9000;
  dump.truncated = true;
  dump.measure_times();
  return dump;
}

Facts sample() {
  SourceFacts source;
  source.info = {"/d/a.tar!logs/0.log",
                 0xFFFFFFFFFFFFFFFF,
                 SourceKind::empty,
                 ReadExtent::not_at_all,
                 123456,
                 789,
                 "cut short",
                 3,
                 1};
  source.speakers = {{"gpu-node-2", 543, 2, 1, 7, 3, 1, true}, {}};
  add_every_record(&source.records);
  auto& init = std::get<CommInit>(source.records[0].record);
  init = {0x5555, 2, 4, 0, "0000:00:06.0", 0x3c6c008ecef52c2eULL, std::nullopt, 3, -5, 1, true};
  EventItem event;
  event.speaker = 1;
  event.event = {
      "echo.peer_closed", "nccl.socket.closed", {{"peer", "10.0.0.2"}, {"text", "\xC3\xA4"}}};
  event.last = {Clock::wall, StampGrade::neighbours, true, {}, -1};
  source.events = {event, event};
  OpStream stream;
  stream.comm = 0xdeadbeef;
  stream.incarnation = 2;
  stream.nranks = 8;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    OpRow row;
    row.kind = i % 2 == 0 ? OpKind::all_reduce : OpKind::send;
    row.datatype = 7;
    row.reduction = -3;
    row.root = 1;
    row.count = i * 1000003ULL;
    row.op_count = i;
    row.offset = i * 200ULL;
    row.length = 199;
    row.line = i;
    row.stamp.time = Interval::at(i);
    stream.ops.push(row);
  }
  source.op_streams = {stream};
  source.flight_recorder = {sample_dump()};
  source.first_stamp = {Clock::boot, StampGrade::printed, false, Interval::at(5), -1};
  source.last_line = "and then";
  source.ends_in_mid_line = true;
  source.unrecognised_errors = 12;
  Facts facts;
  facts.sources = {source};
  facts.skipped = {{"/d/x.bin", "not a known format", 12}};
  facts.roots = {"/d"};
  return facts;
}

std::string_view payload_of(const std::string& file) {
  return std::string_view(file).substr(20, file.size() - 28);
}

TEST(FactsFile, HoldsFactsExactly) {
  const Facts facts = sample();
  const std::string bytes = write_facts(facts);
  ASSERT_TRUE(is_facts_file(bytes));
  const Result<Facts> read = read_facts(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(write_facts(*read), bytes);

  const SourceFacts& a = facts.sources[0];
  const SourceFacts& b = read->sources[0];
  EXPECT_EQ(b.info, a.info);
  EXPECT_EQ(b.speakers, a.speakers);
  EXPECT_EQ(b.op_streams, a.op_streams);
  EXPECT_EQ(b.op_streams[0].ops.history().blocks().size(), 4u);
  EXPECT_EQ(b.flight_recorder, a.flight_recorder);
  EXPECT_EQ(b.first_stamp, a.first_stamp);
  EXPECT_EQ(b.last_line, a.last_line);
  EXPECT_EQ(b.unrecognised_errors, a.unrecognised_errors);
  ASSERT_EQ(b.records.size(), std::variant_size_v<Record>);
  for (std::size_t i = 0; i < b.records.size(); ++i) {
    EXPECT_EQ(static_cast<const Item&>(b.records[i]), static_cast<const Item&>(a.records[i]));
    EXPECT_EQ(b.records[i].record.index(), i);
  }
  const auto& init = std::get<CommInit>(b.records[0].record);
  EXPECT_EQ(init.comm_hash, 0x3c6c008ecef52c2eULL);
  EXPECT_FALSE(init.parent);
  EXPECT_EQ(init.color, -5);
  EXPECT_EQ(b.events[1].event, a.events[1].event);
  EXPECT_EQ(b.events[1].last, a.events[1].last);
  EXPECT_EQ(read->skipped, facts.skipped);
  EXPECT_EQ(read->roots, facts.roots);
}

TEST(FactsFile, EveryTruncationIsNamedOne) {
  Facts facts = sample();
  facts.sources[0].op_streams.clear();
  const std::string bytes = write_facts(facts);
  for (std::size_t n = kFactsMagic.size(); n < bytes.size(); ++n) {
    const Result<Facts> read = read_facts(std::string_view(bytes).substr(0, n));
    ASSERT_FALSE(read) << n;
    EXPECT_NE(read.error().message.find("truncated"), std::string::npos) << read.error().message;
  }
}

TEST(FactsFile, TornPayloadUnderARightChecksumIsRefused) {
  Facts facts = sample();
  facts.sources[0].op_streams[0].ops = {};
  const std::string bytes = write_facts(facts);
  const std::string_view payload = payload_of(bytes);
  for (std::size_t n = 0; n < payload.size(); ++n) {
    EXPECT_FALSE(read_facts(seal_facts(payload.substr(0, n)))) << n;
  }
  EXPECT_FALSE(read_facts(seal_facts(std::string(payload) + '\0')));
}

TEST(FactsFile, FlippedByteIsCaughtByTheChecksum) {
  std::string bytes = write_facts(sample());
  bytes[bytes.size() / 2] ^= 1;
  const Result<Facts> read = read_facts(bytes);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("checksum"), std::string::npos);
}

TEST(FactsFile, RandomDamageUnderARightChecksumIsRefusedOrReadAsSomethingWhole) {
  Facts facts = sample();
  facts.sources[0].op_streams[0].ops = {};
  const std::string bytes = write_facts(facts);
  const std::string payload(payload_of(bytes));
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = payload;
    for (int n = 1 + static_cast<int>(random() % 3); n > 0; --n) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    const Result<Facts> read = read_facts(seal_facts(damaged));
    if (!read) {
      ++refused;
      continue;
    }
    const std::string again = write_facts(*read);
    const Result<Facts> second = read_facts(again);
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_EQ(write_facts(*second), again);
  }
  EXPECT_GT(refused, 300);
}

TEST(FactsFile, NewerFormatSaysSo) {
  const Result<Facts> read = read_facts(seal_facts("anything", kFactsFormat + 1));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("newer"), std::string::npos);
}

TEST(FactsFile, OtherFileIsNoDigest) {
  EXPECT_FALSE(is_facts_file("FFACTS2\nxxxxxxxxxxxxxxxxxxxxxxxxxxxx"));
  const Result<Facts> read = read_facts("PK\x03\x04");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "not a digest file");
}

TEST(FactsFile, IndexThatPointsNowhereIsRefused) {
  Facts facts = sample();
  facts.sources[0].events[0].speaker = 2;
  EXPECT_FALSE(read_facts(write_facts(facts)));

  facts = sample();
  facts.sources[0].flight_recorder[0].entries[4].stack = 2;
  EXPECT_FALSE(read_facts(write_facts(facts)));

  facts = sample();
  facts.sources[0].flight_recorder[0].entries[0].group = 2;
  EXPECT_FALSE(read_facts(write_facts(facts)));
}

TEST(FactsFile, HugeCountInASmallFileAllocatesNothing) {
  // sources: count 2^62
  const std::string payload = "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x3F";
  const Result<Facts> read = read_facts(seal_facts(payload));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("more elements than bytes"), std::string::npos);
}

TEST(FactsFile, RepeatedTextCannotMultiplyWithoutEnd) {
  digest::Writer writer;
  std::vector<std::string> many(100'000, std::string(128, 'x'));
  std::uint64_t none = 0;
  writer(none, none, many);  // no sources, none skipped, many roots of one text
  const Result<Facts> read = read_facts(seal_facts(writer.bytes()));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("repeated"), std::string::npos);
}

TEST(FactsFile, RepetitiveDumpStaysSmall) {
  Facts facts = sample();
  facts.sources[0].records.clear();
  facts.sources[0].op_streams.clear();
  FrDump& dump = facts.sources[0].flight_recorder[0];
  FrEntry e = dump.entries[0];
  dump.entries.clear();
  for (std::int64_t i = 0; i < 2000; ++i) {
    e.record_id = i;
    e.created_ns += 1'000'000;
    e.discovered_completed_ns = e.created_ns + 100'000'000;
    e.offset += 150;
    dump.entries.push_back(e);
  }
  EXPECT_LT(write_facts(facts).size(), 2000u * 48);
}

}  // namespace
}  // namespace firstfault
