// Facts: everything that parsing yields, and the hinge of the design. A digest file (.ffd) is Facts
// on disk (model/facts_file.h). Merging is a set union of sources, so it is associative,
// commutative and idempotent; raw logs and digests made from them hold the same Facts.
//
//   Facts all;
//   all.merge(read_file(a));
//   all.merge(read_file(b));     // same result in any order
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "model/event.h"
#include "model/flight_recorder.h"
#include "model/op_streams.h"
#include "model/quote.h"
#include "model/record.h"
#include "model/speaker.h"
#include "model/stamp.h"

namespace firstfault {

// What a source turned out to be, decided by content.
enum class SourceKind : std::uint8_t {
  unknown,
  rank_log,
  launcher_log,
  nccl_log,
  kernel_log,
  scheduler_log,
  flight_recorder,
  error_json,
  ras_status,
  sanitizer,
  cuda_log,
  gpu_core,
  host_core,
  node_snapshot,
  empty,
};
std::string_view source_kind_name(SourceKind kind);  // "rank_log"

enum class ReadExtent : std::uint8_t { whole, partly, not_at_all };

// Identity and fate of one source. `path` is absolute and may name a member: "/d/a.tar!logs/x.log".
struct SourceInfo {
  std::string path;
  std::uint64_t content_hash = 0;  // of the decoded bytes
  SourceKind kind = SourceKind::unknown;
  ReadExtent read = ReadExtent::whole;
  std::uint64_t bytes = 0;  // decoded
  std::uint64_t lines = 0;
  std::string note;                           // why not (wholly) read, "" otherwise
  std::int32_t path_rank = -1, attempt = -1;  // hints of the path, as in Speaker

  friend bool operator==(const SourceInfo&, const SourceInfo&) = default;
};

// Where an item stands and who said it when. Repetitions of an event fold into one item.
struct Item {
  std::uint32_t speaker = 0;  // index into SourceFacts::speakers
  Stamp first, last;
  std::uint64_t count = 1;
  Quote quote;       // of the first occurrence
  Quote last_quote;  // of the last one when count > 1

  friend bool operator==(const Item&, const Item&) = default;
};

struct RecordItem : Item {
  Record record;
};

struct EventItem : Item {
  Event event;
};

// Everything one source says.
struct SourceFacts {
  SourceInfo info;
  std::vector<Speaker> speakers;
  std::deque<RecordItem> records;  // in order of place
  std::deque<EventItem> events;    // in order of first place
  OpStreams op_streams;
  std::vector<FrDump> flight_recorder;  // at most one
  Stamp first_stamp, last_stamp;        // of any line
  std::string last_line;  // tail of the source, for "the log just stops" (kQuoteBytes)
  bool ends_in_mid_line = false;
  std::uint64_t unrecognised_errors = 0;  // error-looking lines that nothing recognised
};

// A file or member that could not be used at all.
struct Skipped {
  std::string path, reason;
  std::uint64_t bytes = 0;

  friend bool operator==(const Skipped&, const Skipped&) = default;
  friend auto operator<=>(const Skipped&, const Skipped&) = default;
};

struct Facts {
  std::vector<SourceFacts> sources;  // sorted by (path, content_hash), unique
  std::vector<Skipped> skipped;      // sorted, unique
  std::vector<std::string> roots;    // absolute folders of the inputs, sorted, unique

  void merge(Facts other);
};

}  // namespace firstfault
