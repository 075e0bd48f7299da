#include "timeline/ledger.h"

#include <algorithm>
#include <optional>
#include <set>

#include "timeline/cells.h"
#include "timeline/comparable.h"
#include "timeline/op_agreement.h"

namespace firstfault {

namespace {

constexpr std::int64_t kLastSlots = 64;
constexpr std::size_t kDifferingSlots = 64;
constexpr std::int64_t kBeforeFrontier = 4, kBehindFrontier = 28;
constexpr std::size_t kMostSlots = 256;
constexpr std::int64_t kLookedThrough = 8192;  // numbers back from the newest

// Everything one member tells about its operations on the communicator.
struct Member {
  std::int32_t rank = -1;
  std::optional<FrView> fr;
  std::map<std::int64_t, FrRow> entries;
  std::int64_t proven_up_to = -1;
  std::vector<std::pair<std::uint32_t, CollRows>> coll;  // (source, rows), fullest first
  bool coll_usable = false;
  bool coll_to_the_end = false;  // later words of the process follow the last COLL line
  std::int64_t status_enqueued = -1, status_completed = -1;
  std::vector<Evidence> status_evidence;

  std::int64_t last_entry() const { return entries.empty() ? -1 : entries.rbegin()->first; }
};

class LedgerBuilder {
 public:
  LedgerBuilder(const Scene& scene, const Group& group, const GroupWords& words, const Words& all,
                const Cut& cut, const RankTable& ranks, bool mixed_nccl)
      : scene_(scene),
        group_(group),
        words_(words),
        all_(all),
        cut_(cut),
        ranks_(ranks),
        mixed_nccl_(mixed_nccl) {}

  void build(Communicator* out) {
    collect();
    align();
    const bool c10d = c10d_spoke_ && (shifted_ || !any_coll_);
    out->seq_kind = any_fr_ ? SeqKind::fr : c10d ? SeqKind::c10d : SeqKind::own_index;
    for (std::int64_t seq : choose()) {
      Slot slot = make_slot(seq);
      if (!slot.cells.empty()) out->slots.push_back(std::move(slot));
    }
    for (const Member& m : members_) out->progress[m.rank] = progress(m, *out);
  }

 private:
  void collect() {
    for (std::int32_t rank : group_.members) {
      Member m;
      m.rank = rank;
      if (const auto at = group_.fr.find(rank); at != group_.fr.end()) {
        m.fr = at->second;
        m.entries = fr_rows(at->second);
        for (const auto& [seq, row] : m.entries) {
          const bool gloo = raw_name(at->second, *row.entry).substr(0, 5) == "gloo:";
          if (row.entry->retired && (gloo || row.entry->state == FrState::completed)) {
            m.proven_up_to = seq;
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
      Member* m = member(word.rank);
      if (m == nullptr) continue;
      m->status_enqueued = std::max(m->status_enqueued, word.status->last_enqueued);
      m->status_completed = std::max(m->status_completed, word.status->last_completed);
      if (word.status->last_enqueued >= 0) c10d_spoke_ = true;
      add_evidence(&m->status_evidence, word.evidence);
    }
    for (const FailureWord& word : words_.failures) c10d_spoke_ |= word.failure->seq >= 0;
  }

  static std::string_view raw_name(const FrView& view, const FrEntry& e) {
    return e.name < view.dump->strings.size() ? std::string_view(view.dump->strings[e.name])
                                              : std::string_view();
  }

  // NCCL does not flush: only words behind the last COLL line show that the log holds all of them.
  bool ends_in_order(std::int32_t rank) const {
    const RankNotes* notes = ranks_.find(group_.attempt, rank);
    if (notes != nullptr && (notes->info.orderly_exit || notes->destroyed)) return true;
    return std::any_of(words_.ends.begin(), words_.ends.end(),
                       [&](const EndWord& end) { return end.rank == rank; });
  }

  Member* member(std::int32_t rank) {
    auto at = std::lower_bound(members_.begin(), members_.end(), rank,
                               [](const Member& m, std::int32_t r) { return m.rank < r; });
    return at != members_.end() && at->rank == rank ? &*at : nullptr;
  }

  // Own indices of COLL lines -> numbers of the communicator.
  void align() {
    if (!any_fr_ && !c10d_spoke_) return;
    std::optional<std::int64_t> shift;
    bool contradiction = false;
    for (const Member& m : members_) {
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
      // c10d's numbers cannot be laid on the COLL lines: the lines say more, keep their own indices.
      if (any_coll_) c10d_usable_ = false;
      return;
    }
    for (Member& m : members_) m.coll_usable = false;
  }

  const OpRow* coll_at(const Member& m, std::int64_t seq, std::uint32_t* source) const {
    if (!m.coll_usable) return nullptr;
    *source = m.coll.front().first;
    return m.coll.front().second.at(seq - shift_);
  }

  std::int64_t coll_last(const Member& m) const {
    return m.coll_usable ? m.coll.front().second.total() + shift_ : -1;
  }

  bool differs_at(std::int64_t seq) const {
    const Member *fr_head = nullptr, *coll_head = nullptr;
    const OpRow* coll_row = nullptr;
    const FrEntry* fr_entry = nullptr;
    for (const Member& m : members_) {
      std::uint32_t source = 0;
      const OpRow* row = coll_at(m, seq, &source);
      const auto entry = m.entries.find(seq);
      if (entry != m.entries.end() && entry->second.more == 0) {
        if (fr_head != nullptr && entries_differ(*fr_head->fr->dump, *fr_entry, *m.fr->dump,
                                                 *entry->second.entry)) {
          return true;
        }
        if (fr_head == nullptr) {
          fr_head = &m;
          fr_entry = entry->second.entry;
        }
      }
      if (row != nullptr) {
        if (coll_head != nullptr && rows_differ(*coll_row, *row, mixed_nccl_)) return true;
        if (coll_head == nullptr) {
          coll_head = &m;
          coll_row = row;
        }
      }
    }
    return fr_entry != nullptr && coll_row != nullptr && fr_entry->kind != OpKind::unknown &&
           fr_entry->kind != OpKind::coalesced &&
           !same_kind_across_layers(fr_entry->kind, coll_row->kind);
  }

  std::set<std::int64_t> choose() const {
    std::set<std::int64_t> seqs;
    std::int64_t newest = -1, oldest = kTimeMax, frontier = kTimeMax;
    for (const Member& m : members_) {
      std::int64_t last = std::max(m.last_entry(), coll_last(m));
      if (!m.entries.empty()) oldest = std::min(oldest, m.entries.begin()->first);
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
        if (newest < 0 || seqs.size() < kDifferingSlots) seqs.insert(word.failure->seq);
      }
    }
    if (newest < 0) return seqs;
    oldest = std::max({oldest, newest - kLookedThrough, std::int64_t{0}});
    for (std::int64_t s = std::max(oldest, newest - kLastSlots + 1); s <= newest; ++s) {
      seqs.insert(s);
    }
    std::size_t differing = 0;
    for (std::int64_t s = oldest; s <= newest && differing < kDifferingSlots; ++s) {
      if (!differs_at(s)) continue;
      ++differing;
      seqs.insert(s);
      if (s > oldest) seqs.insert(s - 1);
    }
    if (frontier != kTimeMax) {
      for (std::int64_t s = std::max(oldest, frontier - kBeforeFrontier);
           s <= std::min(newest, frontier + kBehindFrontier); ++s) {
        seqs.insert(s);
      }
    }
    while (seqs.size() > kMostSlots) seqs.erase(std::prev(seqs.end()));
    return seqs;
  }

  void finish(Cell* cell, const Member& m, std::int64_t seq) const {
    if (cell->issued && !cell->completed && c10d_usable_ && m.status_completed >= seq &&
        cell->grade == Grade::nothing) {
      cell->completed = true;
      cell->grade = Grade::reported;
    }
    const RankNotes* notes = ranks_.find(group_.attempt, m.rank);
    if (cell->issued && !cell->completed && notes != nullptr && notes->ended_well() &&
        cut_.time.unknown() && cut_.by.empty()) {
      cell->completed = true;  // the process waited for its GPU and went home
      cell->grade = Grade::reported;
    }
    // The death of a member makes nobody's later calls void: they are the ones left hanging.
    cell->after_cut = cell->issued && cut_.by != "death" && cut_.time.bounded_above() &&
                      cell->issued_at.bounded_below() && cell->issued_at.lo > cut_.time.hi;
  }

  Cell make_cell(const Member& m, std::int64_t seq, bool coll_first) const {
    Cell cell;
    std::uint32_t source = 0;
    const OpRow* row = coll_at(m, seq, &source);
    const auto entry = m.entries.find(seq);
    const bool in_dump = entry != m.entries.end();
    if (in_dump) {
      cell = cell_of_entry(scene_, *m.fr, entry->second, seq, m.proven_up_to, cut_.time);
    }
    if (row != nullptr && (!in_dump || coll_first)) {
      Cell told = cell_of_row(scene_, source, *row, mixed_nccl_);
      if (in_dump) {
        cell.signature = std::move(told.signature);
        cell.source = told.source;
      } else {
        cell = std::move(told);
        cell.seq = shifted_ ? seq : -1;
        // Not in the rank's own dump: issued after the dump was taken.
        if (!m.entries.empty() && seq > m.last_entry()) {
          const Interval dumped = all_.dump_time(group_.attempt, m.rank);
          if (dumped.bounded_below()) cell.issued_at.lo = std::max(cell.issued_at.lo, dumped.lo);
          if (cell.issued_at.empty()) cell.issued_at.hi = kTimeMax;
        }
      }
    }
    if (row != nullptr) {
      for (const auto& [other_source, rows] : m.coll) {
        const OpRow* same = rows.numbered() ? rows.at(seq - shift_) : nullptr;
        if (same == nullptr || same->kind != row->kind || same->count != row->count) continue;
        add_evidence(&cell.evidence, scene_.evidence(other_source, quote_of_row(*same)));
      }
    }
    if (c10d_usable_) add_failures(&cell, m, seq);
    if (!cell.known) not_issued(&cell, m, seq);
    if (cell.known) finish(&cell, m, seq);
    return cell;
  }

  void add_failures(Cell* cell, const Member& m, std::int64_t seq) const {
    for (const FailureWord& word : words_.failures) {
      if (word.rank != m.rank || word.failure->seq != seq) continue;
      if (!cell->known) {
        *cell = cell_of_failure(word);
      } else {
        add_evidence(&cell->evidence, word.evidence);
      }
    }
  }

  // Is it known that the member had not issued this number at the cut?
  void not_issued(Cell* cell, const Member& m, std::int64_t seq) const {
    if (!m.entries.empty() && seq > m.last_entry() && !m.fr->dump->truncated) {
      cell->known = true;
      cell->source = OpSource::flight_recorder;
      const auto& [last_seq, last_row] = *m.entries.rbegin();
      cell->evidence =
          cell_of_entry(scene_, *m.fr, last_row, last_seq, m.proven_up_to, cut_.time).evidence;
      cell->user_frame = user_frame(*m.fr->dump, last_row.entry->stack);
    } else if (m.coll_usable && m.coll_to_the_end && seq > coll_last(m)) {
      cell->known = true;
      cell->source = OpSource::coll_line;
      std::uint32_t source = 0;
      if (const OpRow* last = coll_at(m, coll_last(m), &source)) {
        cell->evidence.push_back(scene_.evidence(source, quote_of_row(*last)));
      }
    } else if (c10d_usable_ && !m.status_evidence.empty() && seq > m.status_enqueued &&
               seq > coll_last(m)) {
      cell->known = true;
      cell->source = OpSource::watchdog;
      cell->evidence = m.status_evidence;
    }
  }

  Slot make_slot(std::int64_t seq) const {
    Slot slot;
    slot.seq = seq;
    std::size_t fr = 0, coll = 0;
    for (const Member& m : members_) {
      std::uint32_t source = 0;
      if (m.entries.contains(seq)) ++fr;
      if (coll_at(m, seq, &source) != nullptr) ++coll;
    }
    const bool coll_first = coll > fr;  // like is compared with like: take what most members tell
    bool any = false;
    for (const Member& m : members_) {
      Cell cell = make_cell(m, seq, coll_first);
      any = any || cell.issued;
      if (cell.known) slot.cells.emplace(m.rank, std::move(cell));
    }
    if (!any) slot.cells.clear();
    return slot;
  }

  MemberProgress progress(const Member& m, const Communicator& made) const {
    MemberProgress p;
    p.evidence = m.status_evidence;
    std::int64_t enqueued = std::max(m.last_entry(), coll_last(m));
    if (c10d_usable_) enqueued = std::max(enqueued, m.status_enqueued);
    std::int64_t completed = std::max<std::int64_t>(m.proven_up_to, -1);
    if (c10d_usable_) completed = std::max(completed, m.status_completed);
    for (const Slot& slot : made.slots) {
      const auto at = slot.cells.find(m.rank);
      if (at == slot.cells.end()) continue;
      if (at->second.after_cut) {
        enqueued = std::min(enqueued, slot.seq - 1);
        break;
      }
      if (at->second.completed) completed = std::max(completed, slot.seq);
    }
    p.enqueued_known = enqueued >= 0 || !m.status_evidence.empty();
    p.completed_known = completed >= 0 || (m.status_completed == -1 && !m.status_evidence.empty());
    p.last_enqueued = enqueued;
    p.last_completed = completed;
    const bool dump_view = m.fr && !m.entries.empty() && !m.fr->dump->truncated;
    p.complete_view = dump_view || (m.coll_usable && m.coll_to_the_end);
    p.left = left(m, made);
    return p;
  }

  // The rank's last operation is a barrier (or it destroyed the communicator) while peers repeat
  // something else.
  bool left(const Member& m, const Communicator& made) const {
    const Slot* last = nullptr;
    for (const Slot& slot : made.slots) {
      const auto at = slot.cells.find(m.rank);
      if (at != slot.cells.end() && at->second.issued && !at->second.after_cut) last = &slot;
    }
    if (last == nullptr) return false;
    const Cell& own = last->cells.at(m.rank);
    const RankNotes* notes = ranks_.find(group_.attempt, m.rank);
    const bool barrier = own.signature.kind == OpKind::barrier ||
                         (own.source == OpSource::coll_line && looks_like_barrier(own.signature));
    if (barrier) {
      std::size_t others = 0, working = 0;
      for (const auto& [rank, cell] : last->cells) {
        if (rank == m.rank || !cell.issued || cell.after_cut) continue;
        ++others;
        if (cell.signature.kind != OpKind::barrier &&
            !(cell.source == OpSource::coll_line && looks_like_barrier(cell.signature))) {
          ++working;
        }
      }
      return others > 0 && working * 2 > others;
    }
    // An orderly end with nothing wrong, while peers went on issuing.
    if (notes == nullptr || !notes->ended_well()) return false;
    return made.slots.back().seq > last->seq;
  }

  static bool looks_like_barrier(const OpSignature& sig) {
    return sig.kind == OpKind::all_reduce && sig.count == 1;
  }

  const Scene& scene_;
  const Group& group_;
  const GroupWords& words_;
  const Words& all_;
  const Cut& cut_;
  const RankTable& ranks_;
  const bool mixed_nccl_;
  std::vector<Member> members_;  // ascending rank
  bool any_fr_ = false, any_coll_ = false, c10d_spoke_ = false;
  bool c10d_usable_ = true;  // its numbers are those of the slots
  bool shifted_ = false;     // COLL indices were laid on c10d's numbers
  std::int64_t shift_ = 0;
};

}  // namespace

std::vector<Communicator> make_ledger(const Scene& scene, const Groups& groups, const Words& words,
                                      const RankTable& ranks, std::int32_t attempt,
                                      bool mixed_nccl) {
  std::vector<Communicator> out;
  for (std::size_t g = 0; g < groups.of(attempt).size(); ++g) {
    const Group& group = groups.of(attempt)[g];
    const Cut cut = words.cut(attempt, g);
    Communicator c;
    c.id = Groups::id(static_cast<std::int32_t>(g));
    c.pg_name = group.pg_name;
    c.pg_desc = group.pg_desc;
    c.hash = group.hash;
    c.size = group.size;
    c.members = group.members;
    c.cut = cut.time;
    c.cut_by = cut.by;
    c.timed_out = cut.timed_out;
    c.waiting = cut.waiting;
    LedgerBuilder(scene, group, words.of(attempt, g), words, cut, ranks, mixed_nccl).build(&c);
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace firstfault
