#include "timeline/ledger.h"

#include <algorithm>
#include <optional>
#include <set>

#include "timeline/cells.h"
#include "timeline/member_views.h"

namespace firstfault {

namespace {

class LedgerBuilder {
 public:
  LedgerBuilder(const Scene& scene, const Group& group, const GroupWords& words, const Words& all,
                const Cut& cut, const RankTable& ranks, bool mixed_nccl)
      : scene_(scene),
        group_(group),
        all_(all),
        cut_(cut),
        ranks_(ranks),
        mixed_nccl_(mixed_nccl),
        views_(group, words, ranks, mixed_nccl) {
    for (const FailureWord& word : words.failures) {
      failures_[{word.rank, word.failure->seq}].push_back(&word);
    }
  }

  void build(Communicator* out) {
    out->seq_kind = views_.seq_kind();
    out->unseen_difference = views_.unseen_difference();
    for (std::int64_t seq : views_.choose_slots()) {
      Slot slot = make_slot(seq);
      if (!slot.cells.empty()) out->slots.push_back(std::move(slot));
    }
    for (const MemberView& m : views_.all()) out->progress[m.rank] = progress(m, *out);
  }

 private:
  void finish(Cell* cell, const MemberView& m, std::int64_t seq) const {
    if (cell->issued && !cell->completed && views_.c10d_usable() && m.status_completed >= seq &&
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

  Cell make_cell(const MemberView& m, std::int64_t seq, bool coll_first) const {
    Cell cell;
    std::uint32_t source = 0;
    const std::optional<OpRow> row = views_.coll_at(m, seq, &source);
    const FrRow* entry = m.entries.at(seq);
    const bool in_dump = entry != nullptr;
    if (in_dump) {
      cell = cell_of_entry(scene_, *m.fr, *entry, m.proven_up_to, cut_.time, &frames_);
    }
    if (row && (!in_dump || coll_first)) {
      Cell told = cell_of_row(scene_, source, *row, mixed_nccl_);
      if (in_dump) {
        cell.signature = std::move(told.signature);
        cell.source = told.source;
      } else {
        cell = std::move(told);
        cell.seq = views_.shifted() ? seq : -1;
        // Not in the rank's own dump: issued after the dump was taken.
        if (!m.entries.empty() && seq > m.last_entry()) {
          const Interval dumped = all_.dump_time(group_.attempt, m.rank);
          if (dumped.bounded_below()) cell.issued_at.lo = std::max(cell.issued_at.lo, dumped.lo);
          if (cell.issued_at.empty()) cell.issued_at.hi = kTimeMax;
          const Cell last =
              cell_of_entry(scene_, *m.fr, m.entries.back(), m.proven_up_to, cut_.time, &frames_);
          for (const Evidence& e : last.evidence) add_evidence(&cell.evidence, e);
          for (const Evidence& e : m.status_evidence) add_evidence(&cell.evidence, e);
        }
      }
    }
    if (row) {
      for (const auto& [other_source, rows] : m.coll) {
        const std::optional<OpRow> same =
            rows.numbered() ? rows.at(seq - views_.shift()) : std::nullopt;
        if (!same || same->kind != row->kind || same->count != row->count) continue;
        add_evidence(&cell.evidence, scene_.evidence(other_source, quote_of_row(*same)));
      }
    }
    if (views_.c10d_usable()) add_failures(&cell, m, seq);
    if (!cell.known) not_issued(&cell, m, seq);
    if (cell.known) finish(&cell, m, seq);
    return cell;
  }

  void add_failures(Cell* cell, const MemberView& m, std::int64_t seq) const {
    const auto own = failures_.find({m.rank, seq});
    if (own == failures_.end()) return;
    for (const FailureWord* word : own->second) {
      if (!cell->known) {
        *cell = cell_of_failure(*word);
      } else {
        add_evidence(&cell->evidence, word->evidence);
      }
    }
  }

  // Is it known that the member had not issued this number at the cut?
  void not_issued(Cell* cell, const MemberView& m, std::int64_t seq) const {
    if (!m.entries.empty() && seq > m.last_entry() && !m.fr->dump->truncated) {
      cell->known = true;
      cell->source = OpSource::flight_recorder;
      Cell last =
          cell_of_entry(scene_, *m.fr, m.entries.back(), m.proven_up_to, cut_.time, &frames_);
      cell->evidence = std::move(last.evidence);
      cell->user_frame = std::move(last.user_frame);
    } else if (m.coll_usable && m.coll_to_the_end && seq > views_.coll_last(m)) {
      cell->known = true;
      cell->source = OpSource::coll_line;
      std::uint32_t source = 0;
      if (const auto last = views_.coll_at(m, views_.coll_last(m), &source)) {
        cell->evidence.push_back(scene_.evidence(source, quote_of_row(*last)));
      }
    } else if (views_.c10d_usable() && !m.status_evidence.empty() && seq > m.status_enqueued &&
               seq > views_.coll_last(m)) {
      cell->known = true;
      cell->source = OpSource::watchdog;
      cell->evidence = m.status_evidence;
    }
  }

  Slot make_slot(std::int64_t seq) const {
    Slot slot;
    slot.seq = seq;
    std::size_t fr = 0, coll = 0;
    for (const MemberView& m : views_.all()) {
      std::uint32_t source = 0;
      if (m.entries.at(seq) != nullptr) ++fr;
      if (views_.coll_at(m, seq, &source)) ++coll;
    }
    const bool coll_first = coll > fr;  // like is compared with like: take what most members tell
    bool any = false;
    for (const MemberView& m : views_.all()) {
      Cell cell = make_cell(m, seq, coll_first);
      any = any || cell.issued;
      if (cell.known) slot.cells.emplace_hint(slot.cells.end(), m.rank, std::move(cell));
    }
    if (!any) slot.cells.clear();
    return slot;
  }

  MemberProgress progress(const MemberView& m, const Communicator& made) const {
    MemberProgress p;
    p.evidence = m.status_evidence;
    std::int64_t enqueued = std::max(m.last_entry(), views_.coll_last(m));
    if (views_.c10d_usable()) enqueued = std::max(enqueued, m.status_enqueued);
    std::int64_t completed = std::max<std::int64_t>(m.proven_up_to, -1);
    if (views_.c10d_usable()) completed = std::max(completed, m.status_completed);
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
  bool left(const MemberView& m, const Communicator& made) const {
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
  const Words& all_;
  const Cut& cut_;
  const RankTable& ranks_;
  const bool mixed_nccl_;
  const MemberViews views_;
  mutable UserFrames frames_;
  std::map<std::pair<std::int32_t, std::int64_t>, std::vector<const FailureWord*>> failures_;
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
