// The entries of a Flight Recorder dump: one dict per operation, in the order of enqueueing.
//
// Field names: torch/csrc/distributed/c10d/FlightRecorder.hpp. The table is in fr_entries.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "model/flight_recorder.h"
#include "parser/dumps/document.h"
#include "parser/dumps/fr_stacks.h"
#include "parser/dumps/interner.h"

namespace firstfault {

// True if the list's first element has a key that only operations of a Flight Recorder have.
bool first_element_is_fr_entry(const Document& doc, const Value& list);

// Names of an entry's fields, see kFields.
enum class FrField : std::uint8_t {
  record_id,
  pg_id,
  process_group,
  seq_id,
  collective_seq_id,
  p2p_seq_id,
  op_id,
  is_p2p,
  profiling_name,
  input_sizes,
  output_sizes,
  input_dtypes,
  output_dtypes,
  state,
  time_created_ns,
  time_discovered_started_ns,
  time_discovered_completed_ns,
  retired,
  timeout_ms,
  frames,
  ignored,
};

class FrEntryReader {
 public:
  // Fills entries, groups (name and description only), strings, stacks and entries_total of *dump.
  FrEntryReader(const Document& doc, FrDump* dump);

  Status read(const Value& entries);

  // Process-local numbers that entries gave to each group, parallel to dump->groups.
  const std::vector<std::set<std::int64_t>>& pg_ids() const { return pg_ids_; }

 private:
  static constexpr std::size_t kFieldCount = static_cast<std::size_t>(FrField::ignored);
  struct Name {
    OpKind kind = OpKind::unknown;
    std::int32_t peer = -1;
  };
  struct Tensors {
    std::uint32_t shape = 0;
    std::int64_t numel = -1;
  };

  void take_fields(const Value& dict);
  void read_entry(const Value& dict);
  const Value& raw(FrField f) const { return raw_[static_cast<std::size_t>(f)]; }
  std::int64_t number(FrField f, std::int64_t otherwise) const;
  bool flag(FrField f) const;
  std::uint32_t intern(const Value& text);
  std::uint32_t group_of(bool* known);
  Tensors tensors(const Value& sizes);
  Tensors measure(const Value& sizes);
  std::uint32_t dtypes(const Value& list);
  std::uint32_t intern_scratch();
  FrField field_named(std::string_view key) const;
  void keep_window();

  const Document& doc_;
  FrDump& dump_;
  Interner strings_;
  FrStacks stacks_;
  Value raw_[kFieldCount];
  bool present_[kFieldCount] = {};

  // Keys come in the same order in every entry and share their bytes: remember where they stood.
  struct SeenKey {
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
    FrField field = FrField::ignored;
  };
  std::vector<SeenKey> seen_keys_;
  std::unordered_map<std::uint64_t, std::uint32_t> text_numbers_;  // by offset and length
  std::vector<std::optional<Name>> names_;                         // by string number
  std::unordered_map<std::uint32_t, Tensors> long_lists_;          // by container
  std::map<std::tuple<std::int64_t, std::uint32_t, std::uint32_t>, std::uint32_t> groups_;
  std::vector<std::set<std::int64_t>> pg_ids_;
  std::vector<bool> visited_;  // entries, by container
  std::string scratch_;
  std::uint64_t text_budget_ = 0;  // bytes that made-up text (shapes, type lists) may still take
  std::string error_;
};

}  // namespace firstfault
