#include "timeline/op_agreement.h"

#include <algorithm>

namespace firstfault {

namespace {

constexpr std::int64_t kLargestShift = 8;
constexpr std::int64_t kShiftProof = 3;  // operations that must agree before a shift is believed

OpKind merged(OpKind kind) { return kind == OpKind::barrier ? OpKind::all_reduce : kind; }

// NCCL's count is that of c10d's input for these, on every version.
bool count_is_input(OpKind kind) { return kind == OpKind::all_reduce || kind == OpKind::reduce; }

}  // namespace

bool same_kind_across_layers(OpKind a, OpKind b) { return merged(a) == merged(b); }

CollRows::CollRows(const OpStream& stream) {
  const auto& rows = stream.ops.rows();
  for (const OpRow& row : rows) {
    if (!is_point_to_point(row.kind)) rows_.push_back(&row);
  }
  const bool whole = stream.ops.first_index() <= 1 || rows.empty();
  const std::uint64_t dropped = stream.ops.total() - rows.size();
  // Rows that fell out of the window may have been send or recv if such stand in it.
  numbered_ = whole || rows_.size() == rows.size();
  total_ = static_cast<std::int64_t>(rows_.size() + (numbered_ ? dropped : 0));
}

const OpRow* CollRows::at(std::int64_t index) const {
  if (index < first() || index > total_) return nullptr;
  return rows_[static_cast<std::size_t>(index - first())];
}

std::map<std::int64_t, FrRow> fr_rows(const FrView& view) {
  std::map<std::int64_t, FrRow> out;
  if (view.dump == nullptr) return out;
  for (std::size_t i = 0; i < view.dump->entries.size(); ++i) {
    const FrEntry& entry = view.dump->entries[i];
    if (entry.group != view.group || entry.is_p2p || is_point_to_point(entry.kind)) continue;
    if (entry.collective_seq < 0) continue;
    auto [at, fresh] = out.try_emplace(entry.collective_seq, FrRow{&entry, i, 0});
    if (fresh) continue;
    ++at->second.more;
    // The end marker of a coalesced operation says less than its parts.
    if (at->second.entry->kind == OpKind::coalesced) {
      at->second.entry = &entry;
      at->second.index = i;
    }
  }
  return out;
}

std::optional<std::int64_t> alignment(const std::map<std::int64_t, FrRow>& fr,
                                      const CollRows& coll) {
  if (!coll.numbered()) return std::nullopt;
  auto agreeing = [&](std::int64_t shift) -> std::int64_t {
    std::int64_t n = 0;
    for (const auto& [seq, row] : fr) {
      const OpRow* op = coll.at(seq - shift);
      if (op == nullptr || row.more > 0 || row.entry->kind == OpKind::unknown) continue;
      if (!same_kind_across_layers(op->kind, row.entry->kind)) return -1;
      ++n;
    }
    return n;
  };
  if (agreeing(0) > 0) return 0;
  for (std::int64_t s = 1; s <= kLargestShift; ++s) {
    for (std::int64_t shift : {s, -s}) {
      if (agreeing(shift) >= kShiftProof) return shift;
    }
  }
  return std::nullopt;
}

int failure_agrees(const Group& group, std::int32_t rank, const WorkFailure& failure) {
  if (failure.seq < 0) return 0;
  if (const auto at = group.fr.find(rank); at != group.fr.end()) {
    const auto rows = fr_rows(at->second);
    const auto row = rows.find(failure.seq);
    if (row != rows.end()) return row->second.entry->kind == failure.kind ? 1 : -1;
    if (!rows.empty() && failure.seq > rows.rbegin()->first) return -1;
  }
  if (const auto at = group.coll.find(rank); at != group.coll.end() && !at->second.empty()) {
    const CollRows rows(*at->second.front().stream);
    const OpRow* row = rows.numbered() ? rows.at(failure.seq) : nullptr;
    if (row == nullptr) return rows.numbered() && failure.seq > rows.total() ? -1 : 0;
    if (!same_kind_across_layers(row->kind, failure.kind)) return -1;
    if (count_is_input(failure.kind) && failure.numel_in >= 0 &&
        static_cast<std::uint64_t>(failure.numel_in) != row->count) {
      return -1;
    }
    return 1;
  }
  return 0;
}

}  // namespace firstfault
