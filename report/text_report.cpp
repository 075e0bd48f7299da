#include <fmt/format.h>

#include <algorithm>

#include "report/report.h"
#include "report/slot_rows.h"
#include "report/text_layout.h"
#include "report/when.h"

namespace firstfault {

namespace {

// How many of each are shown. The tighter ones are for a page that would get too long.
struct Limits {
  std::size_t quotes, doubts, chain, decoys, rows, missing, advice, advice_lines;
};
constexpr Limits kUsual = {3, 6, 4, 3, 4, 2, 4, 3};
constexpr Limits kTight = {2, 1, 2, 2, 3, 1, 1, 2};
constexpr std::ptrdiff_t kPage = 48;     // lines
constexpr std::size_t kExplained = 60;   // of each list of --explain
constexpr std::size_t kRanksWidth = 24;  // columns for a set of ranks within a line

struct Label {
  VerdictStatus status;
  std::string_view text;
  const char* colour;
};
constexpr Label kLabels[] = {{VerdictStatus::fault_found, "FIRST FAILURE", kRed},
                             {VerdictStatus::no_fault, "NO FAULT", kGreen},
                             {VerdictStatus::inconclusive, "INCONCLUSIVE", kYellow}};

class TextReport {
 public:
  TextReport(const ReportInput& in, const TextOptions& options, const Limits& limits)
      : in_(in),
        limits_(limits),
        attempt_(in.attempt()),
        verdict_(in.diagnosis.verdict),
        options_(options),
        page_(options.width, options.colour) {}

  std::string write() {
    headline();
    if (verdict_.first_failure) where(*verdict_.first_failure);
    why();
    chain();
    decoys();
    rows();
    missing();
    advice();
    if (options_.explain) explain();
    footer();
    return std::move(page_).str();
  }

 private:
  std::string quote(const Evidence& e) const {
    const std::string file =
        e.source < in_.job.sources.size() ? in_.job.sources[e.source].file : "?";
    const std::string place = e.quote.line > 0          ? fmt::format("{}:{}", file, e.quote.line)
                              : !e.quote.record.empty() ? fmt::format("{} {}", file, e.quote.record)
                                                        : file;
    return fmt::format("{}: {}", place, e.quote.text);
  }

  static std::string whose(const RankSet& ranks, std::size_t width = kRanksWidth) {
    return (ranks.size() == 1 ? "rank " : "ranks ") + fit_ranks(ranks, width);
  }

  std::string moment(std::int64_t ns) const {
    return in_.job.year_known ? iso_time(ns) : iso_time(ns).substr(5);  // without "2026-"
  }
  std::string when(const Interval& t) const {
    if (t.unknown()) return "";
    std::string out = !t.bounded_below()   ? "before " + moment(t.hi)
                      : !t.bounded_above() ? "after " + moment(t.lo)
                      : t.hi - kMillisecond > t.lo
                          ? fmt::format("{} to {}", moment(t.lo), moment(t.hi))
                          : moment(t.lo);
    return out + (in_.job.zone_is_utc ? " UTC" : "");
  }

  template <typename List, typename Show>
  void some(const List& list, std::size_t most, Show show) {
    std::size_t n = 0;
    for (const auto& item : list) {
      if (n++ < most) show(item);
    }
    if (n > most) page_.line(fmt::format("... (+{} more)", n - most));
  }

  void headline() {
    for (const Label& label : kLabels) {
      if (label.status != verdict_.status) continue;
      const std::string sure = verdict_.confidence == Confidence::none
                                   ? ""
                                   : fmt::format(" ({})", name(verdict_.confidence));
      page_.headline(fmt::format("{}{}", label.text, sure), verdict_.title, label.colour);
    }
    if (verdict_.status == VerdictStatus::inconclusive) {
      page_.line("Something failed, or the log just stops: this input cannot tell what came first.",
                 0);
    }
  }

  void where(const FirstFailure& f) {
    page_.section("WHERE");
    std::string who = f.ranks.empty() && f.rank ? fmt::format("rank {}", *f.rank)
                      : f.ranks.empty()         ? ""
                                                : whose(f.ranks, 2 * kRanksWidth);
    if (!f.host.empty()) who += fmt::format("{}host {}", who.empty() ? "" : "  ", f.host);
    if (!f.gpu.empty()) who += fmt::format("  GPU {}", f.gpu);
    if (f.pid >= 0) who += fmt::format("  pid {}", f.pid);
    if (!f.link.empty()) who += fmt::format("{}link {}", who.empty() ? "" : "  ", f.link);
    if (!who.empty()) page_.field("place", who);
    const bool placed = f.operation_kind == "kernel" && !f.operation_raw.empty();
    const std::string& operation =
        f.operation_name.empty() || placed ? f.operation_raw : f.operation_name;
    if (!operation.empty() && f.operation_kind != "collective")
      page_.field("operation", fmt::format("{} ({})", operation, f.operation_kind));
    if (f.seq >= 0 || !f.op.empty()) {
      const Communicator* c = attempt_.communicator(f.communicator);
      std::string on;
      if (c != nullptr)
        on = fmt::format(" on {} ({} ranks)", c->pg_desc.empty() ? c->id : c->pg_desc, c->size);
      page_.field("collective", fmt::format("{} #{}{}", f.op.empty() ? "?" : f.op,
                                            f.seq >= 0 ? std::to_string(f.seq) : "?", on));
    }
    if (!f.kernel.empty() && f.kernel != operation && !placed) page_.field("kernel", f.kernel);
    if (!f.surfaced.empty()) page_.field("surfaced in", f.surfaced);
    if (!f.after.empty() || !f.before.empty()) {
      page_.field("between", fmt::format("{} and {}", f.after.empty() ? "the start" : f.after,
                                         f.before.empty() ? "the end" : f.before));
    }
    if (!f.time.unknown()) page_.field("time", when(f.time));
    page_.field("phase", verdict_.phase);
    if (in_.job.attempts.size() > 1) {
      page_.field("attempt", fmt::format("{} of {}", attempt_.number, in_.job.attempts.size()));
    }
  }

  void why() {
    if (verdict_.cause.empty() && !verdict_.first_failure) return;
    page_.section("WHY");
    if (!verdict_.cause.empty()) {
      page_.field("cause", fmt::format("{}  ({}, {})", verdict_.cause, name(verdict_.confidence),
                                       verdict_.domain));
    }
    if (verdict_.first_failure) {
      some(verdict_.first_failure->evidence, limits_.quotes,
           [&](const Evidence& e) { page_.line(quote(e)); });
    }
    if (options_.explain) return;
    std::vector<std::string> doubts;
    for (const BasisCheck& b : verdict_.basis) {
      if (!b.passed) doubts.push_back("not certain: " + b.note);
    }
    some(doubts, limits_.doubts, [&](const std::string& d) { page_.line(d); });
  }

  void chain() {
    if (verdict_.chain.size() < 2) return;
    page_.section("WHAT FOLLOWED");
    const std::vector<ChainLink> rest(verdict_.chain.begin() + 1, verdict_.chain.end());
    some(rest, limits_.chain,
         [&](const ChainLink& c) { page_.line(fmt::format("-> {}", c.what)); });
  }

  void decoys() {
    if (verdict_.decoys.empty()) return;
    page_.section("LOUD BUT INNOCENT");
    some(verdict_.decoys, limits_.decoys, [&](const Decoy& d) {
      page_.line(fmt::format("{}{}: {}", d.cls,
                             d.reporters.empty() ? "" : fmt::format(" ({})", whose(d.reporters)),
                             d.why_not));
      if (!d.evidence.empty()) page_.line(quote(d.evidence.front()), 4);
    });
  }

  void rows() {
    if (!verdict_.first_failure) return;
    const FirstFailure& f = *verdict_.first_failure;
    const Communicator* c = attempt_.communicator(f.communicator);
    if (c == nullptr) return;
    for (const Slot& slot : c->slots) {
      if (slot.seq != f.seq) continue;
      page_.section(
          fmt::format("COLLECTIVE #{} ON {}", slot.seq, c->pg_desc.empty() ? c->id : c->pg_desc));
      std::vector<SlotRow> rows = slot_rows(*c, slot);
      const auto culprit = std::find_if(
          rows.begin(), rows.end(), [&](const SlotRow& r) { return r.ranks.intersects(f.ranks); });
      if (culprit != rows.end() && culprit - rows.begin() >= static_cast<long>(limits_.rows))
        std::rotate(rows.begin(), culprit, culprit + 1);
      const Differing differing = differing_in(rows);
      some(rows, limits_.rows, [&](const SlotRow& r) { page_.line(row(r, differing)); });
    }
  }

  // Parts of the signature shown only when they tell rows apart.
  struct Differing {
    bool reduction = false, root = false;
  };
  static Differing differing_in(const std::vector<SlotRow>& rows) {
    Differing out;
    const OpSignature* first = nullptr;
    for (const SlotRow& r : rows) {
      if (r.cell == nullptr || !r.cell->issued) continue;
      const OpSignature& s = r.cell->signature;
      if (first == nullptr) first = &s;
      out.reduction = out.reduction || s.reduction != first->reduction;
      out.root = out.root || s.root != first->root;
    }
    return out;
  }

  static std::string row(const SlotRow& r, const Differing& differing) {
    const std::string who = fmt::format("{:<22}", whose(r.ranks));
    if (r.cell == nullptr) return who + " nothing known";
    const Cell& c = *r.cell;
    if (!c.issued) return who + " not issued";
    const OpSignature& s = c.signature;
    std::string more;
    if (differing.reduction) more += fmt::format("{:<5} ", s.reduction.empty() ? "?" : s.reduction);
    if (differing.root) more += fmt::format("root {} ", s.root < 0 ? "?" : std::to_string(s.root));
    return fmt::format("{} {:<13} count {:<10} {:<9} {}{}{}", who, op_name(s.kind),
                       s.count < 0 ? "?" : std::to_string(s.count), s.dtype, more,
                       c.completed ? "completed" : "not completed",
                       c.after_cut ? ", issued after the others gave up" : "");
  }

  void missing() {
    if (verdict_.missing.empty()) return;
    page_.section("MISSING");
    some(verdict_.missing, limits_.missing, [&](const MissingEvidence& m) {
      page_.line(fmt::format("{}: {}", m.what, m.why));
      page_.line(m.how, 4);
    });
  }

  void advice() {
    if (verdict_.advice.empty() && !verdict_.action) return;
    page_.section("ADVICE");
    some(verdict_.advice, limits_.advice,
         [&](const std::string& a) { page_.wrapped("- " + a, 2, limits_.advice_lines); });
    if (verdict_.action)
      page_.line(fmt::format("action: {} {} ({})", verdict_.action->kind, verdict_.action->target,
                             verdict_.action->why));
  }

  void explain() {
    page_.section("HOW SURE");
    some(verdict_.basis, kExplained, [&](const BasisCheck& b) {
      page_.line(fmt::format("[{}] {}{}{}", b.passed ? "x" : " ", b.check,
                             b.node.empty() ? "" : fmt::format(" ({})", b.node),
                             b.note.empty() ? "" : ": " + b.note));
    });
    some(verdict_.alternatives, kExplained, [&](const Alternative& a) {
      page_.line(fmt::format("instead: {} ({}): {}", a.cause, name(a.confidence), a.why_less));
    });
    page_.section("NODES");
    some(in_.diagnosis.nodes, kExplained, [&](const GraphNode& n) {
      page_.line(fmt::format("{:<4} {:<30} by {:<12} about {:<12} x{}{}", n.id, n.cls,
                             n.reporters.empty() ? "-" : fit_ranks(n.reporters, kRanksWidth),
                             n.subjects.empty() ? "-" : fit_ranks(n.subjects, kRanksWidth), n.count,
                             n.time.bounded_below() ? "  " + moment(n.time.lo) : ""));
    });
    page_.section("EDGES (cause -> consequence)");
    some(in_.diagnosis.edges, kExplained, [&](const GraphEdge& e) {
      page_.line(fmt::format("{} -> {}  {} ({}{})", e.from, e.to, e.rule, e.order,
                             e.margin_s > 0 ? fmt::format(", {:.3f} s", e.margin_s) : ""));
    });
    page_.section("CLOCKS AND COVERAGE");
    some(in_.job.clocks, kExplained, [&](const ClockInfo& c) {
      page_.line(fmt::format(
          "clock {} {} {} offset {:.3f} s +- {} from {}", c.id, c.host, c.kind, c.offset_s,
          c.half_width_s < 0 ? "unknown" : fmt::format("{:.3f} s", c.half_width_s), c.from));
    });
    some(attempt_.coverage, kExplained, [&](const Coverage& c) {
      page_.line(fmt::format("{:<16} {:<14} {}", c.source, c.host.empty() ? "job" : c.host,
                             !c.present        ? "none in the input"
                             : c.ranks.empty() ? "seen"
                                               : whose(c.ranks, 2 * kRanksWidth)));
    });
    page_.section("INPUTS");
    static constexpr const char* kRead[] = {"", ", read in part", ", not read"};
    some(in_.job.sources, kExplained, [&](const JobSource& s) {
      page_.line(fmt::format("{}  {}, {} bytes, {} lines{}{}{}", s.file,
                             source_kind_name(s.info.kind), s.info.bytes, s.info.lines,
                             kRead[static_cast<std::size_t>(s.info.read)],
                             s.info.note.empty() ? "" : ": ", s.info.note));
    });
    some(in_.job.skipped, kExplained, [&](const Skipped& s) {
      page_.line(fmt::format("skipped {}  {}, {} bytes", s.path, s.reason, s.bytes));
    });
    some(in_.job.conflicts, kExplained,
         [&](const IdentityConflict& c) { page_.line("conflict: " + c.what); });
  }

  void footer() {
    page_.blank();
    page_.line(fmt::format("firstfault {}: {} files read, {} skipped, {} rules", in_.tool.version,
                           in_.job.sources.size(), in_.job.skipped.size(), in_.tool.rule_count),
               0);
  }

  const ReportInput& in_;
  const Limits& limits_;
  const Attempt& attempt_;
  const Verdict& verdict_;
  const TextOptions& options_;
  TextPage page_;
};

}  // namespace

std::string render_text(const ReportInput& input, const TextOptions& options) {
  std::string page = TextReport(input, options, kUsual).write();
  if (!options.explain && std::count(page.begin(), page.end(), '\n') > kPage)
    page = TextReport(input, options, kTight).write();
  return page;
}

}  // namespace firstfault
