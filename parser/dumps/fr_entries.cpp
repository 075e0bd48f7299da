#include "parser/dumps/fr_entries.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/text.h"
#include "parser/dumps/flight_recorder.h"

namespace firstfault {

namespace {

struct FieldRow {
  std::string_view key;
  FrField field;
};

constexpr FieldRow kFields[] = {
    {"record_id", FrField::record_id},
    {"pg_id", FrField::pg_id},
    {"process_group", FrField::process_group},
    {"seq_id", FrField::seq_id},
    {"collective_seq_id", FrField::collective_seq_id},
    {"p2p_seq_id", FrField::p2p_seq_id},
    {"op_id", FrField::op_id},
    {"is_p2p", FrField::is_p2p},
    {"profiling_name", FrField::profiling_name},
    {"input_sizes", FrField::input_sizes},
    {"output_sizes", FrField::output_sizes},
    {"input_dtypes", FrField::input_dtypes},
    {"output_dtypes", FrField::output_dtypes},
    {"state", FrField::state},
    {"time_created_ns", FrField::time_created_ns},
    {"time_discovered_started_ns", FrField::time_discovered_started_ns},
    {"time_discovered_completed_ns", FrField::time_discovered_completed_ns},
    {"retired", FrField::retired},
    {"timeout_ms", FrField::timeout_ms},
    {"frames", FrField::frames},
};

constexpr std::string_view kOnlyInEntries[] = {"profiling_name", "collective_seq_id", "seq_id",
                                               "time_created_ns", "record_id"};

struct StateRow {
  std::string_view word;
  FrState state;
};

constexpr StateRow kStates[] = {{"scheduled", FrState::scheduled},
                                {"started", FrState::started},
                                {"completed", FrState::completed}};

constexpr std::size_t kTextBytes = 512;  // of a name, shape or list of types
constexpr std::size_t kMaxTypes = 512;   // of one operation
constexpr std::size_t kMaxGroups = 65536;
constexpr std::size_t kMaxDims = 16;         // of one tensor; more are not counted
constexpr std::uint32_t kSharedFrom = 64;    // lists at least this long are measured once
constexpr std::size_t kCompactFrom = 65536;  // entries read before the window is first applied
constexpr std::string_view kCut = "...";

FrState state_named(std::string_view word) {
  for (const StateRow& row : kStates) {
    if (row.word == word) return row.state;
  }
  return FrState::unknown;
}

// Appends to *out unless it would pass kTextBytes; then marks the cut once.
void append_capped(std::string* out, std::string_view piece, bool* cut) {
  if (*cut) return;
  if (out->size() + piece.size() + kCut.size() > kTextBytes) {
    *cut = true;
    out->append(kCut);
    return;
  }
  out->append(piece);
}

}  // namespace

bool first_element_is_fr_entry(const Document& doc, const Value& list) {
  Children elements = doc.children(list);
  const Value* first = list.is(ValueKind::list) ? elements.next() : nullptr;
  if (first == nullptr || !first->is(ValueKind::dict)) return false;
  Children pairs = doc.children(*first);
  while (const Value* key = pairs.next()) {
    const std::string_view name = doc.text(*key);
    if (std::find(std::begin(kOnlyInEntries), std::end(kOnlyInEntries), name) !=
        std::end(kOnlyInEntries)) {
      return true;
    }
    pairs.next();
  }
  return false;
}

FrEntryReader::FrEntryReader(const Document& doc, FrDump* dump)
    : doc_(doc), dump_(*dump), stacks_(doc), visited_(doc.container_count()) {
  // Shared lists let a hostile file ask for far more text than it holds; no honest dump comes near.
  text_budget_ = 4 * doc.counters().bytes + (1u << 20);
}

FrField FrEntryReader::field_named(std::string_view key) const {
  for (const FieldRow& row : kFields) {
    if (row.key == key) return row.field;
  }
  return FrField::ignored;
}

void FrEntryReader::take_fields(const Value& dict) {
  std::memset(present_, 0, sizeof present_);
  Children pairs = doc_.children(dict);
  std::size_t i = 0;
  while (const Value* key = pairs.next()) {
    const Value* value = pairs.next();
    if (i >= seen_keys_.size()) seen_keys_.emplace_back();
    SeenKey& seen = seen_keys_[i++];
    if (!key->is(ValueKind::text)) continue;
    if (seen.offset != key->bits || seen.length != key->length) {
      seen = {key->bits, key->length, field_named(doc_.text(*key))};
    }
    if (seen.field == FrField::ignored) continue;
    raw_[static_cast<std::size_t>(seen.field)] = *value;
    present_[static_cast<std::size_t>(seen.field)] = true;
  }
  for (std::size_t f = 0; f < kFieldCount; ++f) {
    if (!present_[f]) raw_[f] = Value{};
  }
}

std::int64_t FrEntryReader::number(FrField f, std::int64_t otherwise) const {
  const Value& v = raw(f);
  return v.is(ValueKind::integer) ? v.integer() : doc_.number(v).value_or(otherwise);
}

bool FrEntryReader::flag(FrField f) const { return number(f, 0) != 0; }

std::uint32_t FrEntryReader::intern(const Value& text) {
  if (!text.is(ValueKind::text)) return 0;
  const std::uint64_t place = text.bits << 24 ^ text.length;
  auto [at, fresh] = text_numbers_.try_emplace(place, 0);
  if (fresh) {
    const std::string_view bytes = doc_.text(text);
    at->second = strings_.intern(to_utf8(bytes, kTextBytes, nullptr));
  }
  return at->second;
}

std::uint32_t FrEntryReader::group_of(bool* known) {
  std::uint32_t name = 0, desc = 0;
  *known = false;
  const Value& pair = raw(FrField::process_group);
  if (pair.is(ValueKind::list)) {
    Children parts = doc_.children(pair);
    const Value* first = parts.next();
    const Value* second = first == nullptr ? nullptr : parts.next();
    if (second != nullptr) {
      name = intern(*first);
      desc = intern(*second);
      *known = true;
    }
  }
  const std::int64_t pg_id = number(FrField::pg_id, -1);
  // With a name, the name decides: a group destroyed and made again under its name has a new
  // number.
  const std::int64_t key = *known ? -1 : pg_id;
  auto [at, fresh] = groups_.try_emplace({key, name, desc}, dump_.groups.size());
  if (fresh) {
    if (dump_.groups.size() >= kMaxGroups) error_ = "more than 65536 process groups";
    FrGroup group;
    group.name = strings_[name];
    group.desc = strings_[desc] == "undefined" ? "" : strings_[desc];
    dump_.groups.push_back(std::move(group));
    pg_ids_.emplace_back();
  }
  if (pg_id >= 0) {
    std::set<std::int64_t>& ids = pg_ids_[at->second];
    if (ids.size() < 2) ids.insert(pg_id);  // two are enough to know that it is ambiguous
  }
  return at->second;
}

FrEntryReader::Tensors FrEntryReader::measure(const Value& sizes) {
  Tensors out;
  std::int64_t total = 0;
  bool counted = true, cut = false, first = true;
  scratch_.assign("[");
  Children list = doc_.children(sizes);
  while (const Value* tensor = list.next()) {
    if (!tensor->is(ValueKind::list) || !doc_.closed(*tensor)) return {};
    append_capped(&scratch_, first ? "[" : ", [", &cut);
    first = false;
    std::int64_t numel = 1;
    Children dims = doc_.children(*tensor);
    for (std::size_t i = 0; const Value* dim = dims.next(); ++i) {
      const std::optional<std::int64_t> n = doc_.number(*dim);
      if (i == kMaxDims || !n || *n < 0) {
        counted = false;
        append_capped(&scratch_, "?", &cut);
        break;
      }
      char digits[24];
      const auto end = std::to_chars(digits, digits + sizeof digits, *n).ptr;
      if (i != 0) append_capped(&scratch_, ", ", &cut);
      append_capped(&scratch_, {digits, static_cast<std::size_t>(end - digits)}, &cut);
      counted = counted && !__builtin_mul_overflow(numel, *n, &numel);
    }
    append_capped(&scratch_, "]", &cut);
    counted = counted && !__builtin_add_overflow(total, numel, &total);
  }
  append_capped(&scratch_, "]", &cut);
  out.numel = counted && !first ? total : -1;
  out.shape = intern_scratch();
  return out;
}

std::uint32_t FrEntryReader::intern_scratch() {
  const std::uint64_t before = strings_.bytes();
  const std::uint32_t index = strings_.intern(scratch_);
  const std::uint64_t grown = strings_.bytes() - before;
  if (grown > text_budget_) error_ = "shapes and types take more memory than the whole file";
  text_budget_ -= std::min(grown, text_budget_);
  return index;
}

FrEntryReader::Tensors FrEntryReader::tensors(const Value& sizes) {
  if (!sizes.is(ValueKind::list) || !doc_.closed(sizes)) return {};
  if (doc_.size(sizes) < kSharedFrom) return measure(sizes);
  auto [at, fresh] = long_lists_.try_emplace(sizes.container());
  if (fresh) at->second = measure(sizes);
  return at->second;
}

std::uint32_t FrEntryReader::dtypes(const Value& list) {
  if (!list.is(ValueKind::list) || !doc_.closed(list)) return 0;
  Children types = doc_.children(list);
  const Value* type = types.next();
  if (type == nullptr) return 0;
  if (doc_.size(list) == 1) return intern(*type);
  scratch_.clear();
  bool cut = false;
  for (std::size_t i = 0; type != nullptr && i < kMaxTypes && !cut; type = types.next(), ++i) {
    if (!scratch_.empty()) append_capped(&scratch_, ",", &cut);
    append_capped(&scratch_, strings_[intern(*type)], &cut);
  }
  return intern_scratch();
}

void FrEntryReader::read_entry(const Value& dict) {
  take_fields(dict);
  bool group_named = false;
  if (!doc_.closed(dict)) {
    // The file ended inside this entry. That the operation was issued is told only if what
    // identifies it came before; both writers put the creation time behind the group and the name.
    const bool usable = raw(FrField::time_created_ns).is(ValueKind::integer) &&
                        raw(FrField::profiling_name).is(ValueKind::text) &&
                        raw(FrField::process_group).is(ValueKind::list);
    if (!usable) return;
  }
  FrEntry e;
  e.group = group_of(&group_named);
  e.record_id = number(FrField::record_id, -1);
  e.op_id = number(FrField::op_id, -1);
  e.name = intern(raw(FrField::profiling_name));
  if (names_.size() <= e.name) names_.resize(e.name + 1);
  std::optional<Name>& name = names_[e.name];
  if (!name) {
    name.emplace();
    name->kind = op_from_flight_recorder(strings_[e.name], &name->peer);
  }
  e.kind = name->kind;
  e.peer = name->peer;
  e.is_p2p = present_[static_cast<std::size_t>(FrField::is_p2p)] ? flag(FrField::is_p2p)
                                                                 : is_point_to_point(e.kind);
  if (e.is_p2p) {
    e.p2p_seq = number(FrField::p2p_seq_id, -1);
  } else {
    e.collective_seq = number(FrField::collective_seq_id, number(FrField::seq_id, -1));
  }
  const Tensors in = tensors(raw(FrField::input_sizes));
  const Tensors out = tensors(raw(FrField::output_sizes));
  e.in_shape = in.shape;
  e.in_numel = in.numel;
  e.out_shape = out.shape;
  e.out_numel = out.numel;
  e.in_dtype = dtypes(raw(FrField::input_dtypes));
  e.out_dtype = dtypes(raw(FrField::output_dtypes));
  e.state = state_named(doc_.text(raw(FrField::state)));
  e.retired = flag(FrField::retired);
  e.created_ns = number(FrField::time_created_ns, 0);
  e.discovered_started_ns = number(FrField::time_discovered_started_ns, 0);
  e.discovered_completed_ns = number(FrField::time_discovered_completed_ns, 0);
  e.timeout_ms = number(FrField::timeout_ms, -1);
  e.stack = stacks_.number(raw(FrField::frames));
  e.offset = doc_.begin(dict);
  e.length = static_cast<std::uint32_t>(doc_.end(dict) - doc_.begin(dict));
  dump_.entries.push_back(e);
  ++dump_.entries_total;
}

void FrEntryReader::keep_window() {
  std::vector<FrEntry>& entries = dump_.entries;
  if (entries.size() <= kFrWindow) return;
  std::vector<std::size_t> left(dump_.groups.size(), kFrWindow);
  std::size_t keep = entries.size();  // entries [keep, end) are the kept ones
  for (std::size_t i = entries.size(); i-- > 0;) {
    std::size_t& room = left[entries[i].group];
    if (room == 0) continue;
    --room;
    entries[--keep] = entries[i];
  }
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(keep));
}

Status FrEntryReader::read(const Value& entries) {
  const std::size_t listed = entries.is(ValueKind::list) ? doc_.size(entries) : 0;
  dump_.entries.reserve(std::min(listed, kCompactFrom));
  std::size_t compact_at = kCompactFrom;
  Children list = doc_.children(entries);
  for (std::size_t i = 0; i < listed && error_.empty(); ++i) {
    const Value* dict = list.next();
    if (!dict->is(ValueKind::dict) || visited_[dict->container()]) continue;
    visited_[dict->container()] = true;
    read_entry(*dict);
    if (stacks_.too_large()) error_ = "stacks take more than 64 MiB";
    if (dump_.entries.size() >= compact_at) {
      keep_window();
      compact_at = std::max(kCompactFrom, 2 * dump_.entries.size());
    }
  }
  if (!error_.empty()) return Error{"Flight Recorder dump: " + error_};
  keep_window();
  dump_.strings = strings_.take();
  dump_.stacks = stacks_.take();
  dump_.measure_times();
  return Done{};
}

}  // namespace firstfault
