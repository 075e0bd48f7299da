#include "timeline/member_views.h"

#include <algorithm>

#include "timeline/comparable.h"

namespace firstfault {

namespace {

constexpr std::int64_t kLastSlots = 64;
constexpr std::int64_t kDifferingSlots = 64;
constexpr std::int64_t kBeforeFrontier = 4, kBehindFrontier = 28;
constexpr std::int64_t kFewestSlots = 8;
constexpr std::int64_t kCells = 1 << 15;  // of one choice of slots, over all members
constexpr std::size_t kMostSlots = 256;
constexpr std::int64_t kLookedThrough = 8192;  // numbers back from the newest

// A slot has a cell for every member, so thousands of members get fewer slots.
std::int64_t slots_among(std::int64_t most, std::size_t members) {
  const std::int64_t fair = kCells / std::max<std::int64_t>(1, static_cast<std::int64_t>(members));
  return std::min(most, std::max(fair, kFewestSlots));
}

std::string_view raw_name(const FrView& view, const FrEntry& e) {
  return e.name < view.dump->strings.size() ? std::string_view(view.dump->strings[e.name])
                                            : std::string_view();
}

}  // namespace

MemberViews::MemberViews(const Group& group, const GroupWords& words, const RankTable& ranks,
                         bool mixed_nccl)
    : group_(group), words_(words), ranks_(ranks), mixed_nccl_(mixed_nccl) {
  collect();
  align();
}

SeqKind MemberViews::seq_kind() const {
  if (any_fr_) return SeqKind::fr;
  const bool c10d = c10d_spoke_ && (shifted_ || !any_coll_);
  return c10d ? SeqKind::c10d : SeqKind::own_index;
}

void MemberViews::collect() {
  for (std::int32_t rank : group_.members) {
    MemberView m;
    m.rank = rank;
    if (const auto at = group_.fr.find(rank); at != group_.fr.end()) {
      m.fr = at->second;
      m.entries = FrRows(at->second);
      for (const FrRow& row : m.entries) {
        const bool gloo = raw_name(at->second, *row.entry).substr(0, 5) == "gloo:";
        if (row.entry->retired && (gloo || row.entry->state == FrState::completed)) {
          m.proven_up_to = row.seq;
        }
      }
      any_fr_ = any_fr_ || !m.entries.empty();
      if (at->second.group < at->second.dump->groups.size()) {
        const FrGroup& state = at->second.dump->groups[at->second.group];
        m.status_enqueued = state.last_enqueued.value_or(-1);
        m.status_completed = state.last_completed.value_or(-1);
      }
    }
    if (const auto at = group_.coll.find(rank); at != group_.coll.end()) {
      for (const CollView& view : at->second) {
        m.coll.emplace_back(view.source, CollRows(*view.stream));
      }
      m.coll_usable = m.coll.front().second.numbered();
      m.coll_to_the_end = ends_in_order(rank);
      any_coll_ = any_coll_ || m.coll.front().second.total() > 0;
    }
    members_.push_back(std::move(m));
  }
  for (const StatusWord& word : words_.statuses) {
    if (word.status->last_enqueued < -1 && word.status->failed_seq < 0) continue;
    MemberView* m = member(word.rank);
    if (m == nullptr) continue;
    m->status_enqueued = std::max(m->status_enqueued, word.status->last_enqueued);
    m->status_completed = std::max(m->status_completed, word.status->last_completed);
    if (word.status->last_enqueued >= 0) c10d_spoke_ = true;
    add_evidence(&m->status_evidence, word.evidence);
  }
  for (const FailureWord& word : words_.failures) c10d_spoke_ |= word.failure->seq >= 0;
}

// NCCL does not flush: only words behind the last COLL line show that the log holds all of them.
bool MemberViews::ends_in_order(std::int32_t rank) const {
  const RankNotes* notes = ranks_.find(group_.attempt, rank);
  if (notes != nullptr && (notes->info.orderly_exit || notes->destroyed)) return true;
  return std::any_of(words_.ends.begin(), words_.ends.end(),
                     [&](const EndWord& end) { return end.rank == rank; });
}

MemberView* MemberViews::member(std::int32_t rank) {
  auto at = std::lower_bound(members_.begin(), members_.end(), rank,
                             [](const MemberView& m, std::int32_t r) { return m.rank < r; });
  return at != members_.end() && at->rank == rank ? &*at : nullptr;
}

// Own indices of COLL lines -> numbers of the communicator.
void MemberViews::align() {
  if (!any_fr_ && !c10d_spoke_) return;
  std::optional<std::int64_t> shift;
  bool contradiction = false;
  for (const MemberView& m : members_) {
    if (m.entries.empty() || !m.coll_usable) continue;
    const auto s = alignment(m.entries, m.coll.front().second);
    if (!s || (shift && *shift != *s)) contradiction = true;
    if (s && !shift) shift = s;
  }
  int agree = 0;
  if (!shift && !contradiction) {
    for (const FailureWord& word : words_.failures) {
      const int verdict = failure_agrees(group_, word.rank, *word.failure);
      if (verdict < 0) contradiction = true;
      agree += verdict > 0 ? 1 : 0;
    }
    if (agree > 0 && !contradiction) shift = 0;
  }
  if (shift && !contradiction) {
    shift_ = *shift;
    shifted_ = true;
    return;
  }
  if (!any_fr_) {
    // c10d's numbers cannot be laid on the COLL lines: the lines say more, keep their own
    // indices.
    if (any_coll_) c10d_usable_ = false;
    return;
  }
  for (MemberView& m : members_) m.coll_usable = false;
}

std::optional<OpRow> MemberViews::coll_at(const MemberView& m, std::int64_t seq,
                                          std::uint32_t* source) const {
  if (!m.coll_usable) return std::nullopt;
  *source = m.coll.front().first;
  return m.coll.front().second.at(seq - shift_);
}

std::int64_t MemberViews::coll_last(const MemberView& m) const {
  return m.coll_usable ? m.coll.front().second.total() + shift_ : -1;
}

// Member by member, so that each one's rows are walked through once and in order.
std::vector<bool> MemberViews::differing(std::int64_t oldest, std::int64_t newest) const {
  struct Head {
    const FrDump* dump = nullptr;
    const FrEntry* entry = nullptr;
    std::optional<OpRow> row;
  };
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(newest - oldest + 1, 0));
  std::vector<Head> heads(count);  // the first member that tells the number
  std::vector<bool> out(count);
  for (const MemberView& m : members_) {
    for (const FrRow& row : m.entries) {
      if (row.seq < oldest || row.seq > newest || row.more > 0) continue;
      const auto i = static_cast<std::size_t>(row.seq - oldest);
      Head& head = heads[i];
      if (head.entry == nullptr) {
        head.dump = m.fr->dump;
        head.entry = row.entry;
      } else if (!out[i] && entries_differ(*head.dump, *head.entry, *m.fr->dump, *row.entry)) {
        out[i] = true;
      }
    }
    if (!m.coll_usable) continue;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t source = 0;
      std::optional<OpRow> row = coll_at(m, oldest + static_cast<std::int64_t>(i), &source);
      if (!row) continue;
      if (!heads[i].row) {
        heads[i].row = std::move(row);
      } else if (!out[i] && rows_differ(*heads[i].row, *row, mixed_nccl_)) {
        out[i] = true;
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [dump, entry, row] = heads[i];
    if (entry == nullptr || !row) continue;
    out[i] = out[i] || (entry->kind != OpKind::unknown && entry->kind != OpKind::coalesced &&
                        !same_kind_across_layers(entry->kind, row->kind));
  }
  return out;
}

std::set<std::int64_t> MemberViews::choose_slots() const {
  const std::int64_t last_slots = slots_among(kLastSlots, members_.size());
  const std::int64_t differing_slots = slots_among(kDifferingSlots, members_.size());
  const std::int64_t behind_frontier = slots_among(kBehindFrontier, members_.size());
  std::set<std::int64_t> seqs;
  std::int64_t newest = -1, oldest = kTimeMax, frontier = kTimeMax;
  for (const MemberView& m : members_) {
    std::int64_t last = std::max(m.last_entry(), coll_last(m));
    if (!m.entries.empty()) oldest = std::min(oldest, m.entries.front().seq);
    if (m.coll_usable && coll_last(m) >= 1 + shift_) {
      oldest = std::min(oldest, m.coll.front().second.first() + shift_);
    }
    newest = std::max(newest, last);
    if (c10d_usable_) last = std::max(last, m.status_enqueued);
    if (last >= 0) frontier = std::min(frontier, last + 1);
  }
  if (c10d_usable_) {
    for (const FailureWord& word : words_.failures) {
      if (word.failure->seq < 0) continue;
      frontier = std::min(frontier, word.failure->seq);
      if (newest < 0 || std::ssize(seqs) < differing_slots) seqs.insert(word.failure->seq);
    }
  }
  if (newest < 0) return seqs;
  oldest = std::max({oldest, newest - kLookedThrough, std::int64_t{0}});
  for (std::int64_t s = std::max(oldest, newest - last_slots + 1); s <= newest; ++s) {
    seqs.insert(s);
  }
  const std::vector<bool> differs = differing(oldest, newest);
  std::int64_t taken = 0;
  for (std::int64_t s = oldest; s <= newest && taken < differing_slots; ++s) {
    if (!differs[static_cast<std::size_t>(s - oldest)]) continue;
    ++taken;
    seqs.insert(s);
    if (s > oldest) seqs.insert(s - 1);
  }
  if (frontier != kTimeMax) {
    for (std::int64_t s = std::max(oldest, frontier - kBeforeFrontier);
         s <= std::min(newest, frontier + behind_frontier); ++s) {
      seqs.insert(s);
    }
  }
  while (seqs.size() > kMostSlots) seqs.erase(std::prev(seqs.end()));
  return seqs;
}

// Blocks count every row, so only streams without send and recv have equal blocks.
std::int64_t MemberViews::unseen_difference() const {
  std::uint64_t rows = OpHistory::kRows;
  const auto each = [&](const auto& use) {
    for (const MemberView& m : members_) {
      const auto at = group_.coll.find(m.rank);
      if (at == group_.coll.end() || at->second.empty() || m.coll.empty()) continue;
      const OpWindow& ops = at->second.front().stream->ops;
      if (ops.first_index() > 1 && m.coll.front().second.numbered()) use(ops);
    }
  };
  each([&](const OpWindow& ops) { rows = std::max(rows, ops.history().block_rows()); });
  std::map<std::size_t, std::uint64_t> first;  // block -> hash of the first member that has it
  std::int64_t earliest = -1;
  each([&](const OpWindow& ops) {
    const std::vector<std::uint64_t> blocks = ops.history().blocks_of(rows);
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const std::uint64_t begin = k * rows + 1;
      if (begin >= ops.first_index()) break;
      const auto [known, fresh] = first.try_emplace(k, blocks[k]);
      if (fresh || known->second == blocks[k]) continue;
      const auto index = static_cast<std::int64_t>(begin);
      if (earliest < 0 || index < earliest) earliest = index;
    }
  });
  return earliest;
}

}  // namespace firstfault
