#include "parser/dumps/flight_recorder.h"

#include <string>

#include "base/text.h"
#include "parser/dumps/fr_entries.h"
#include "parser/dumps/fr_groups.h"
#include "parser/dumps/json_document.h"
#include "parser/dumps/pickle.h"

namespace firstfault {

namespace {

constexpr std::size_t kVersionBytes = 64;

enum class TopKey { version, comm_lib_version, entries, pg_config, pg_status, nccl_comm_state };

struct TopRow {
  std::string_view key;
  TopKey what;
};

constexpr TopRow kTopKeys[] = {
    {"version", TopKey::version},     {"comm_lib_version", TopKey::comm_lib_version},
    {"entries", TopKey::entries},     {"pg_config", TopKey::pg_config},
    {"pg_status", TopKey::pg_status}, {"nccl_comm_state", TopKey::nccl_comm_state},
};

struct Top {
  Value rows[std::size(kTopKeys)];
  const Value& at(TopKey k) const { return rows[static_cast<std::size_t>(k)]; }
};

Top read_top(const Document& doc) {
  Top top;
  if (doc.root().is(ValueKind::list)) {  // the oldest form: entries alone
    top.rows[static_cast<std::size_t>(TopKey::entries)] = doc.root();
    return top;
  }
  Children pairs = doc.children(doc.root());
  while (const Value* key = pairs.next()) {
    const Value* value = pairs.next();
    for (const TopRow& row : kTopKeys) {
      if (doc.text(*key) == row.key) top.rows[static_cast<std::size_t>(row.what)] = *value;
    }
  }
  return top;
}

// What only a Flight Recorder dump has.
bool looks_right(const Document& doc, const Top& top) {
  if (doc.root().is(ValueKind::list)) return first_element_is_fr_entry(doc, doc.root());
  const Value& entries = top.at(TopKey::entries);
  if (doc.size(entries) > 0) return first_element_is_fr_entry(doc, entries);
  const bool about_groups = !top.at(TopKey::pg_config).is(ValueKind::none) ||
                            !top.at(TopKey::pg_status).is(ValueKind::none) ||
                            !top.at(TopKey::nccl_comm_state).is(ValueKind::none);
  const bool versioned = top.at(TopKey::version).is(ValueKind::text);
  return versioned && (about_groups || entries.is(ValueKind::list) || doc.truncated());
}

}  // namespace

Result<FrDump> flight_recorder_of(const Document& doc) {
  const Top top = read_top(doc);
  if (!looks_right(doc, top)) return Error{"not a Flight Recorder dump"};

  FrDump dump;
  dump.truncated = doc.truncated();
  dump.version = to_utf8(doc.text(top.at(TopKey::version)), kVersionBytes, nullptr);
  dump.comm_lib_version =
      to_utf8(doc.text(top.at(TopKey::comm_lib_version)), kVersionBytes, nullptr);

  FrEntryReader reader(doc, &dump);
  if (Status read = reader.read(top.at(TopKey::entries)); !read) return read.error();
  Status joined = join_groups(doc, top.at(TopKey::pg_config), top.at(TopKey::pg_status),
                              reader.pg_ids(), &dump);
  if (!joined) return joined.error();
  return dump;
}

Result<FrDump> read_flight_recorder(std::string_view bytes, const DumpLimits& limits) {
  if (bytes.empty()) return Error{"empty file"};
  std::string_view front = bytes;
  consume(&front, "\xEF\xBB\xBF");
  front = trim(front.substr(0, 64));
  const bool pickle = static_cast<unsigned char>(bytes.front()) == 0x80;
  const bool json = front.starts_with("{") || front.starts_with("[");
  if (!pickle && !json) return Error{"neither a pickle nor JSON"};
  Result<Document> doc = pickle ? read_pickle(bytes, limits) : read_json(bytes, limits);
  if (!doc) return doc.error();
  return flight_recorder_of(*doc);
}

}  // namespace firstfault
