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

CollRows::CollRows(const OpStream& stream) : window_(&stream.ops) {
  const std::size_t rows = window_->size();
  const std::size_t collectives = window_->collectives();
  const bool whole = window_->first_index() <= 1 || rows == 0;
  // Rows that fell out of the window may have been send or recv if such stand in it.
  numbered_ = whole || collectives == rows;
  kept_ = static_cast<std::int64_t>(collectives);
  total_ = kept_ + (numbered_ ? static_cast<std::int64_t>(window_->total() - rows) : 0);
  if (collectives == rows) return;
  std::uint32_t place = 0;
  for (const OpRow& row : window_->rows()) {
    if (!is_point_to_point(row.kind)) places_.push_back(place);
    ++place;
  }
}

std::optional<OpRow> CollRows::at(std::int64_t index) const {
  if (index < first() || index > total_) return std::nullopt;
  const auto nth = static_cast<std::size_t>(index - first());
  const std::size_t place = places_.empty() ? nth : places_[nth];
  const std::size_t block = place / kOpBlockRows;
  if (rows_.empty() || decoded_ != block) {
    rows_ = window_->block(block);
    decoded_ = block;
  }
  return rows_[place % kOpBlockRows];
}

FrRows::FrRows(const FrView& view) {
  if (view.dump == nullptr) return;
  bool ascending = true;
  for (std::uint32_t i = 0; i < view.dump->entries.size(); ++i) {
    const FrEntry& entry = view.dump->entries[i];
    if (entry.group != view.group || entry.is_p2p || is_point_to_point(entry.kind)) continue;
    if (entry.collective_seq < 0) continue;
    ascending = ascending && (rows_.empty() || rows_.back().seq < entry.collective_seq);
    rows_.push_back({entry.collective_seq, &entry, i, 0});
  }
  if (ascending) return;
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const FrRow& a, const FrRow& b) { return a.seq < b.seq; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < rows_.size(); ++i) {
    if (rows_[i].seq != rows_[last].seq) {
      rows_[++last] = rows_[i];
      continue;
    }
    const std::uint32_t more = rows_[last].more + 1;
    // The end marker of a coalesced operation says less than its parts.
    if (rows_[last].entry->kind == OpKind::coalesced) rows_[last] = rows_[i];
    rows_[last].more = more;
  }
  rows_.resize(last + 1);
}

const FrRow* FrRows::at(std::int64_t seq) const {
  if (rows_.empty() || seq < rows_.front().seq || seq > rows_.back().seq) return nullptr;
  const std::int64_t guess = seq - rows_.front().seq;
  if (guess < static_cast<std::int64_t>(rows_.size())) {
    const FrRow& row = rows_[static_cast<std::size_t>(guess)];
    if (row.seq == seq) return &row;
  }
  const auto at = std::lower_bound(rows_.begin(), rows_.end(), seq,
                                   [](const FrRow& row, std::int64_t s) { return row.seq < s; });
  return at != rows_.end() && at->seq == seq ? &*at : nullptr;
}

std::optional<std::int64_t> alignment(const FrRows& fr, const CollRows& coll) {
  if (!coll.numbered()) return std::nullopt;
  auto agreeing = [&](std::int64_t shift) -> std::int64_t {
    std::int64_t n = 0;
    for (const FrRow& row : fr) {
      const std::optional<OpRow> op = coll.at(row.seq - shift);
      if (!op || row.more > 0 || row.entry->kind == OpKind::unknown) continue;
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
    const FrRows rows(at->second);
    const FrRow* row = rows.at(failure.seq);
    if (row != nullptr) return row->entry->kind == failure.kind ? 1 : -1;
    if (!rows.empty() && failure.seq > rows.back().seq) return -1;
  }
  if (const auto at = group.coll.find(rank); at != group.coll.end() && !at->second.empty()) {
    const CollRows rows(*at->second.front().stream);
    const std::optional<OpRow> row = rows.numbered() ? rows.at(failure.seq) : std::nullopt;
    if (!row) return rows.numbered() && failure.seq > rows.total() ? -1 : 0;
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
