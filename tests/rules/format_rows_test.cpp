// docs/formats/*.json: every row of the formats has a sample that is read as the row says, or a reason
// why it is not needed.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "parser/dumps/json_document.h"
#include "parser/scan/line_walk.h"
#include "parser/scan/region_cutter.h"
#include "rules/rulebook.h"
#include "support/support.h"

namespace firstfault {
namespace {

struct Row {
  std::string id, sample, yields, reason;
};

std::string text_of(const Document& doc, Value row, std::string_view name) {
  for (Children pairs = doc.children(row); auto key = pairs.next();) {
    const Value value = *pairs.next();
    if (doc.text(*key) == name && value.is(ValueKind::text)) return std::string(doc.text(value));
  }
  return {};
}

std::vector<Row> rows_of(const std::filesystem::path& file) {
  const std::string bytes = test::read_file(file);
  const Result<Document> doc = read_json(bytes);
  EXPECT_TRUE(doc) << file;
  std::vector<Row> out;
  if (!doc || !doc->root().is(ValueKind::list)) return out;
  for (Children rows = doc->children(doc->root()); auto row = rows.next();) {
    out.push_back({text_of(*doc, *row, "id"), text_of(*doc, *row, "sample"),
                   text_of(*doc, *row, "yields"), text_of(*doc, *row, "reason")});
  }
  return out;
}

struct RecordName {
  std::string_view name;
  bool (*holds)(const Record&);
};
template <typename T>
constexpr RecordName record_name(std::string_view name) {
  return {name, [](const Record& r) { return std::holds_alternative<T>(r); }};
}
constexpr RecordName kRecords[] = {record_name<CommInit>("CommInit"),
                                   record_name<CommEnd>("CommEnd"),
                                   record_name<Setting>("Setting"),
                                   record_name<Version>("Version"),
                                   record_name<NetInterface>("NetInterface"),
                                   record_name<OrderlyExit>("OrderlyExit"),
                                   record_name<WorkFailure>("WorkFailure"),
                                   record_name<GroupStatus>("GroupStatus"),
                                   record_name<FingerprintMismatch>("FingerprintMismatch"),
                                   record_name<BarrierReport>("BarrierReport"),
                                   record_name<DesyncReport>("DesyncReport"),
                                   record_name<StoreWait>("StoreWait"),
                                   record_name<ExceptionReport>("ExceptionReport"),
                                   record_name<StackSnapshot>("StackSnapshot"),
                                   record_name<ProcessExit>("ProcessExit"),
                                   record_name<SignalSent>("SignalSent"),
                                   record_name<RankPlacement>("RankPlacement"),
                                   record_name<GpuKernelFault>("GpuKernelFault"),
                                   record_name<OomKill>("OomKill"),
                                   record_name<UserCrash>("UserCrash"),
                                   record_name<Progress>("Progress"),
                                   record_name<GpuException>("GpuException"),
                                   record_name<CudaError>("CudaError"),
                                   record_name<TreePlace>("TreePlace")};

bool yields(const SourceFacts& facts, const std::string& what) {
  if (what == "Operation") return !facts.op_streams.empty();
  if (what.find('.') != std::string::npos) {
    return std::any_of(facts.events.begin(), facts.events.end(),
                       [&](const EventItem& e) { return e.event.signature == what; });
  }
  for (const RecordName& row : kRecords) {
    if (row.name != what) continue;
    return std::any_of(facts.records.begin(), facts.records.end(),
                       [&](const RecordItem& item) { return row.holds(item.record); });
  }
  ADD_FAILURE() << "no record is called " << what;
  return false;
}

TEST(FormatRows, EveryRowIsReadOrHasAReason) {
  const Result<Rulebook> book = Rulebook::built_in();
  const Vocabulary words(book->matcher(), LiteralScanner::Engine::aho_corasick);
  std::set<std::string> ids;
  std::size_t rows = 0;
  for (const auto& file : std::filesystem::directory_iterator(test::source_path("docs/formats"))) {
    if (file.path().extension() != ".json") continue;
    for (const Row& row : rows_of(file.path())) {
      ++rows;
      EXPECT_TRUE(ids.insert(row.id).second) << row.id << " stands twice";
      EXPECT_FALSE(row.yields.empty() && row.reason.empty()) << row.id << " has neither";
      if (row.yields.empty()) continue;
      LineWalk walk({}, words, book->matcher());
      RegionCutter cutter([&](const Region& region) { walk.region(region); });
      cutter.add(row.sample);
      cutter.add("\n");
      cutter.finish();
      EXPECT_TRUE(yields(walk.finish(row.sample.size() + 1, false), row.yields))
          << row.id << " does not yield " << row.yields << ": " << row.sample;
    }
  }
  EXPECT_GT(rows, 800u);
}

}  // namespace
}  // namespace firstfault
