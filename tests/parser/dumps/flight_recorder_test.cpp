#include "parser/dumps/flight_recorder.h"

#include <gtest/gtest.h>

#include "support/support.h"

namespace firstfault {
namespace {

using namespace std::string_literals;

std::string data(const std::string& name) {
  return test::read_file(test::source_path("tests/data/flight_recorder/" + name));
}

FrDump read(std::string_view bytes) {
  Result<FrDump> dump = read_flight_recorder(bytes);
  EXPECT_TRUE(dump) << dump.error().message;
  return dump ? std::move(dump).value() : FrDump{};
}

std::string error_of(std::string_view bytes) {
  const Result<FrDump> dump = read_flight_recorder(bytes);
  return dump ? "" : dump.error().message;
}

// An entry as the JSON form writes it.
std::string entry(int record, int pg_id, const std::string& name, const std::string& desc, int seq,
                  const std::string& more = "") {
  return R"({"collective_seq_id":)" + std::to_string(seq) +
         R"(,"input_dtypes":["Float"],"input_sizes":[[4]],)" +
         R"("is_p2p":false,"op_id":1,"pg_id":)" + std::to_string(pg_id) + R"(,"process_group":[")" +
         name + R"(",")" + desc + R"("],"profiling_name":"nccl:all_reduce","record_id":)" +
         std::to_string(record) + more + R"(,"state":"scheduled","time_created_ns":5})";
}

std::string json_dump(const std::string& entries, const std::string& rest) {
  return R"({"version":"2.4","entries":[)" + entries + "]," + rest + "}";
}

TEST(FlightRecorder, MismatchedOperationOfRank2) {
  const std::string bytes = data("mismatch_op_rank_2");
  const FrDump dump = read(bytes);
  EXPECT_EQ(dump.version, "2.10");
  EXPECT_EQ(dump.comm_lib_version, "2.28.9");
  EXPECT_FALSE(dump.truncated);
  ASSERT_EQ(dump.groups.size(), 1u);
  EXPECT_EQ(dump.groups[0].name, "0");
  EXPECT_EQ(dump.groups[0].desc, "default_pg");
  EXPECT_EQ(dump.groups[0].members, RankSet::first(4));
  EXPECT_EQ(dump.groups[0].last_enqueued, 10);  // the barrier does not count
  EXPECT_EQ(dump.groups[0].last_started, -1);
  ASSERT_EQ(dump.entries.size(), 11u);
  EXPECT_EQ(dump.entries_total, 11u);

  const FrEntry& e = dump.entries[9];
  EXPECT_EQ(e.record_id, 9);
  EXPECT_EQ(e.collective_seq, 10);
  EXPECT_EQ(e.p2p_seq, -1);
  EXPECT_EQ(e.op_id, 10);
  EXPECT_FALSE(e.is_p2p);
  EXPECT_EQ(e.kind, OpKind::all_gather);
  EXPECT_EQ(dump.strings[e.name], "nccl:_all_gather_base");
  EXPECT_EQ(dump.strings[e.in_shape], "[[1048576]]");
  EXPECT_EQ(dump.strings[e.out_shape], "[[4194304]]");
  EXPECT_EQ(dump.strings[e.in_dtype], "Float");
  EXPECT_EQ(e.in_numel, 1048576);
  EXPECT_EQ(e.out_numel, 4194304);
  EXPECT_EQ(e.state, FrState::completed);
  EXPECT_EQ(e.created_ns, 1796096687894899954);
  EXPECT_EQ(e.discovered_started_ns, 0);
  EXPECT_EQ(e.timeout_ms, 12000);
  EXPECT_EQ(bytes[e.offset], '}');
  EXPECT_EQ(bytes[e.offset + e.length - 1], 'u');
  const std::vector<FrFrame>& stack = dump.stacks[e.stack];
  ASSERT_EQ(stack.size(), 3u);
  EXPECT_EQ(stack[0].function, "all_gather_into_tensor");
  EXPECT_EQ(stack[2].function, "<module>");
  EXPECT_GT(stack[0].line, 0);
  EXPECT_EQ(dump.entries[10].kind, OpKind::barrier);
}

TEST(FlightRecorder, GroupNumberIsOfThisProcessOnly) {
  const FrDump dump = read(data("tp_mismatch_rank_5"));
  ASSERT_EQ(dump.groups.size(), 2u);
  EXPECT_EQ(dump.groups[0].name, "2");  // pg_id 1 here
  EXPECT_EQ(dump.groups[0].desc, "tensor_parallel_1");
  EXPECT_EQ(dump.groups[0].members->str(), "4-7");
  EXPECT_EQ(dump.groups[0].last_enqueued, 6);
  EXPECT_EQ(dump.groups[1].name, "0");
  EXPECT_EQ(dump.groups[1].last_enqueued, 5);
  EXPECT_EQ(dump.groups[1].last_completed, 4);
}

TEST(FlightRecorder, CompletedByTheAbortIsStillNotRetired) {
  const FrDump dump = read(data("uneven_rank_2"));
  EXPECT_EQ(dump.entries.back().collective_seq, 47);
  EXPECT_EQ(dump.entries.back().state, FrState::completed);
  EXPECT_FALSE(dump.entries.back().retired);
  EXPECT_TRUE(dump.entries[0].retired);
}

TEST(FlightRecorder, GlooRowWithoutNameNamesNoGroup) {
  const FrDump dump = read(data("gloo_rank_0"));
  ASSERT_EQ(dump.groups.size(), 2u);
  EXPECT_EQ(dump.groups[0].name, "0");
  EXPECT_EQ(dump.groups[1].desc, "tp_group");
  EXPECT_FALSE(dump.groups[0].members);
  EXPECT_FALSE(dump.groups[1].members);
  EXPECT_EQ(dump.groups[0].last_completed, 1);
  EXPECT_EQ(dump.groups[1].last_enqueued, 2);
  EXPECT_EQ(dump.comm_lib_version, "");
}

TEST(FlightRecorder, JsonSaysTheSameAsThePickleButForStacks) {
  FrDump pickle = read(data("gloo_rank_0"));
  FrDump json = read(data("gloo_rank_0.json"));
  ASSERT_EQ(json.entries.size(), pickle.entries.size());
  EXPECT_EQ(json.groups[0], pickle.groups[0]);
  for (std::size_t i = 0; i < json.entries.size(); ++i) {
    FrEntry a = json.entries[i], b = pickle.entries[i];
    EXPECT_EQ(json.strings[a.name], pickle.strings[b.name]);
    EXPECT_EQ(json.strings[a.in_shape], pickle.strings[b.in_shape]);
    EXPECT_EQ(a.created_ns, b.created_ns);
    EXPECT_EQ(a.collective_seq, b.collective_seq);
    EXPECT_EQ(a.state, b.state);
    EXPECT_EQ(a.timeout_ms, b.timeout_ms);
    EXPECT_EQ(a.stack, 0u);
  }
  const std::string bytes = data("gloo_rank_0.json");
  EXPECT_EQ(bytes[json.entries[1].offset], '{');
  EXPECT_EQ(bytes[json.entries[1].offset + json.entries[1].length - 1], '}');
}

TEST(FlightRecorder, EveryCutGivesWholeEntriesOrAnError) {
  for (const char* name : {"mismatch_op_rank_2", "gloo_rank_0.json"}) {
    const std::string bytes = data(name);
    const FrDump whole = read(bytes);
    std::size_t most = 0;
    for (std::size_t n = 0; n + 2 < bytes.size(); ++n) {
      const Result<FrDump> cut = read_flight_recorder(std::string_view(bytes).substr(0, n));
      if (!cut) continue;
      EXPECT_TRUE(cut->truncated) << name << " " << n;
      ASSERT_LE(cut->entries.size(), whole.entries.size());
      for (std::size_t i = 0; i < cut->entries.size(); ++i) {
        const FrEntry& a = cut->entries[i];
        const FrEntry& b = whole.entries[i];
        EXPECT_EQ(a.collective_seq, b.collective_seq) << name << " " << n;
        EXPECT_EQ(a.created_ns, b.created_ns) << name << " " << n;
        EXPECT_EQ(cut->groups[a.group].name, whole.groups[b.group].name);
        EXPECT_TRUE(a.state == b.state || a.state == FrState::unknown);
        EXPECT_TRUE(a.in_numel == b.in_numel || a.in_numel == -1);
      }
      most = std::max(most, cut->entries.size());
    }
    EXPECT_EQ(most, whole.entries.size());
  }
}

TEST(FlightRecorder, TornFileOf87BytesHasNothing) {
  const Result<FrDump> dump =
      read_flight_recorder(std::string_view(data("mismatch_op_rank_2")).substr(0, 87));
  ASSERT_TRUE(dump) << dump.error().message;
  EXPECT_TRUE(dump->truncated);
  EXPECT_TRUE(dump->entries.empty());
}

TEST(FlightRecorder, GroupWithoutEntriesIsJoinedByPositionOnlyWhenNothingElseFits) {
  const std::string config =
      R"("pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"},"2":{"name":"2","desc":"tp","ranks":"[1]"}})";
  const std::string status =
      R"("pg_status":{"0":{"last_enqueued_collective":"7"},"1":{"last_enqueued_collective":"3"}})";
  const FrDump both = read(json_dump(entry(0, 1, "2", "tp", 3), config + "," + status));
  ASSERT_EQ(both.groups.size(), 2u);
  EXPECT_EQ(both.groups[0].last_enqueued, 3);
  EXPECT_EQ(both.groups[1].name, "0");
  EXPECT_EQ(both.groups[1].members, RankSet::first(2));
  EXPECT_EQ(both.groups[1].last_enqueued, 7);

  // The entries' number contradicts the order: nothing is guessed.
  const FrDump odd = read(json_dump(entry(0, 0, "2", "tp", 3), config + "," + status));
  EXPECT_EQ(odd.groups[0].last_enqueued, 7);
  EXPECT_FALSE(odd.groups[1].last_enqueued);

  // One status row too many: which of them is default_pg's?
  const FrDump three = read(json_dump(
      entry(0, 1, "2", "tp", 3), config + R"(,"pg_status":{"0":{"last_enqueued_collective":7},)"
                                          R"("1":{},"2":{"last_enqueued_collective":9}})"));
  EXPECT_FALSE(three.groups[1].last_enqueued);
}

TEST(FlightRecorder, TwoGroupsOfOneNameDoNotShareMembers) {
  const FrDump dump =
      read(json_dump(entry(0, 1, "5", "tp", 1) + "," + entry(1, 2, "5", "dp", 1),
                     R"("pg_config":{"5":{"name":"5","desc":"dp","ranks":"[0, 3]"}})"));
  ASSERT_EQ(dump.groups.size(), 2u);
  EXPECT_FALSE(dump.groups[0].members);
  EXPECT_EQ(dump.groups[1].members, (RankSet{0, 3}));
}

TEST(FlightRecorder, NumberSharedByTwoGroupsJoinsNeither) {
  const FrDump dump = read(json_dump(entry(0, 1, "5", "tp", 1) + "," + entry(1, 1, "6", "dp", 1),
                                     R"("pg_status":{"1":{"last_enqueued_collective":4}})"));
  ASSERT_EQ(dump.groups.size(), 2u);
  EXPECT_FALSE(dump.groups[0].last_enqueued);
  EXPECT_FALSE(dump.groups[1].last_enqueued);
}

TEST(FlightRecorder, Format1HasNumbersForGroupsAndOneSequence) {
  // {"version": "1.4", "pg_config": {3: [0, 1]}, "entries": [{"pg_id": 3, "seq_id": 9,
  // "profiling_name": "nccl:broadcast", "state": "started"}]}
  const auto text = [](const std::string& s) {
    return "X"s + static_cast<char>(s.size()) + "\0\0\0"s + s;
  };
  const FrDump dump = read("\x80\x02}("s + text("version") + text("1.4") + text("pg_config") +
                           "}(K\3](K\0K\1eu"s + text("entries") + "](}("s + text("pg_id") + "K\3" +
                           text("seq_id") + "K\x09" + text("profiling_name") +
                           text("nccl:broadcast") + text("state") + text("started") + "ueu.");
  ASSERT_EQ(dump.entries.size(), 1u);
  EXPECT_EQ(dump.entries[0].collective_seq, 9);
  EXPECT_EQ(dump.entries[0].state, FrState::started);
  EXPECT_EQ(dump.entries[0].in_numel, -1);
  ASSERT_EQ(dump.groups.size(), 1u);
  EXPECT_EQ(dump.groups[0].members, RankSet::first(2));
}

TEST(FlightRecorder, BareListIsTheOldestForm) {
  const FrDump dump = read("[" + entry(0, 0, "0", "default_pg", 1) + "]");
  EXPECT_EQ(dump.version, "");
  ASSERT_EQ(dump.entries.size(), 1u);
}

TEST(FlightRecorder, PointToPointHasNoCollectiveNumber) {
  std::string e = entry(0, 0, "0", "default_pg", 4, R"(,"p2p_seq_id":2)");
  e.replace(e.find("\"is_p2p\":false"), 14, "\"is_p2p\":true");
  e.replace(e.find("nccl:all_reduce"), 15, "nccl:send 0->3");
  const FrDump dump = read(json_dump(e, R"("pg_status":{})"));
  EXPECT_TRUE(dump.entries[0].is_p2p);
  EXPECT_EQ(dump.entries[0].kind, OpKind::send);
  EXPECT_EQ(dump.entries[0].peer, 3);
  EXPECT_EQ(dump.entries[0].collective_seq, -1);
  EXPECT_EQ(dump.entries[0].p2p_seq, 2);
}

TEST(FlightRecorder, SeveralTensorsAddUpAndOverflowIsUnknown) {
  const auto numel = [](const std::string& sizes, const std::string& types) {
    std::string e = entry(0, 0, "0", "default_pg", 4);
    e.replace(e.find("[[4]]"), 5, sizes);
    e.replace(e.find("[\"Float\"]"), 9, types);
    const FrDump dump = read(json_dump(e, R"("pg_status":{})"));
    return std::to_string(dump.entries[0].in_numel) + " " + dump.strings[dump.entries[0].in_shape] +
           " " + dump.strings[dump.entries[0].in_dtype];
  };
  EXPECT_EQ(numel("[[3, 4], [5]]", R"(["Float","Half"])"), "17 [[3, 4], [5]] Float,Half");
  EXPECT_EQ(numel("[[]]", R"(["Long"])"), "1 [[]] Long");
  EXPECT_EQ(numel("[]", "[]"), "-1 [] ");
  EXPECT_EQ(numel("[[4611686018427387904, 4]]", R"(["Float"])"),
            "-1 [[4611686018427387904, 4]] Float");
  EXPECT_EQ(numel("[[-1]]", R"(["Float"])"), "-1 [[?]] Float");
  EXPECT_EQ(numel("[7]", R"(["Float"])"), "-1  Float");
}

TEST(FlightRecorder, OldEntriesOfABusyGroupGoTheQuietGroupStays) {
  std::string entries = entry(0, 1, "2", "tp", 1);
  for (int i = 1; i <= 5000; ++i) entries += "," + entry(i, 0, "0", "default_pg", i);
  const FrDump dump = read(json_dump(entries, R"("pg_status":{})"));
  EXPECT_EQ(dump.entries_total, 5001u);
  ASSERT_EQ(dump.entries.size(), kFrWindow + 1);
  EXPECT_EQ(dump.entries[0].record_id, 0);
  EXPECT_EQ(dump.entries[1].record_id, 5000 - 4096 + 1);
  EXPECT_EQ(dump.entries.back().record_id, 5000);
}

TEST(FlightRecorder, PathThatIsNotUtf8IsMadeSo) {
  std::string bytes = data("mismatch_op_rank_2");
  bytes[bytes.find("/opt/pytorch") + 1] = '\xff';
  const FrDump dump = read(bytes);
  EXPECT_EQ(dump.stacks[1][0].file.substr(0, 4), "/\xEF\xBF\xBD");
}

TEST(FlightRecorder, OtherFilesSayWhatTheyAreNot) {
  EXPECT_EQ(error_of(""), "empty file");
  EXPECT_EQ(error_of("NCCL INFO"), "neither a pickle nor JSON");
  EXPECT_EQ(error_of("\x80\x04]\x94(K\1K\2e."s), "not a Flight Recorder dump");
  EXPECT_EQ(error_of(R"({"message": "x"})"), "not a Flight Recorder dump");
  EXPECT_EQ(error_of(R"({"entries": [{"name": "x"}]})"), "not a Flight Recorder dump");
  EXPECT_NE(error_of("\x80\x02"
                     "cos\nsystem\n."s)
                .find("GLOBAL"),
            std::string::npos);
}

TEST(FlightRecorder, OneEntryNamedAMillionTimesIsOneEntry) {
  std::string bytes = "\x80\x02}(X\7\0\0\0entries]("s;
  bytes += "}(X\x0e\0\0\0profiling_nameX\1\0\0\0xuq\0"s;
  for (int i = 0; i < 1'000'000; ++i) bytes += "h\0"s;
  const FrDump dump = read(bytes + "eu.");
  EXPECT_EQ(dump.entries.size(), 1u);
}

TEST(FlightRecorder, SharedListsCannotMultiplyIntoGigabytes) {
  // A list of 100,000 tensors, named by 100,000 entries as their shape.
  std::string bytes = "\x80\x02}(X\1\0\0\0s](](K\7eq\0"s;
  for (int i = 0; i < 100'000; ++i) bytes += "h\0"s;
  bytes += "eq\1X\x0e\0\0\0profiling_nameq\2X\x0b\0\0\0input_sizesq\3X\7\0\0\0entries]("s;
  for (int i = 0; i < 100'000; ++i) bytes += "}(h\2h\3h\3h\1u"s;
  const FrDump dump = read(bytes + "eu.");
  EXPECT_EQ(dump.entries_total, 100'000u);
  EXPECT_EQ(dump.entries[0].in_numel, 7 * 100'001);
  EXPECT_LE(dump.strings[dump.entries[0].in_shape].size(), 512u);
}

}  // namespace
}  // namespace firstfault
