#include <fmt/format.h>

#include <algorithm>

#include "report/report.h"
#include "report/slot_rows.h"
#include "report/text_layout.h"
#include "report/when.h"

namespace firstfault {

namespace {

constexpr std::size_t kQuotes = 3, kChain = 4, kDecoys = 3, kRows = 4, kMissing = 2;

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
  TextReport(const ReportInput& in, const TextOptions& options)
      : in_(in),
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
    const std::string& file = in_.job.sources[e.source].file;
    const std::string place = e.quote.line > 0          ? fmt::format("{}:{}", file, e.quote.line)
                              : !e.quote.record.empty() ? fmt::format("{} {}", file, e.quote.record)
                                                        : file;
    return fmt::format("{}: {}", place, e.quote.text);
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
    std::string who;
    if (f.rank) {
      who = fmt::format("rank {}", f.ranks.size() > 1 ? f.ranks.str() : std::to_string(*f.rank));
    } else if (!f.ranks.empty()) {
      who = fmt::format("ranks {}", f.ranks.str());
    }
    if (!f.host.empty()) who += fmt::format("{}host {}", who.empty() ? "" : "  ", f.host);
    if (!f.gpu.empty()) who += fmt::format("  GPU {}", f.gpu);
    if (f.pid >= 0) who += fmt::format("  pid {}", f.pid);
    if (!who.empty()) page_.field("place", who);
    if (f.seq >= 0 || !f.op.empty()) {
      const Communicator* c = attempt_.communicator(f.communicator);
      std::string on;
      if (c != nullptr)
        on = fmt::format(" on {} ({} ranks)", c->pg_desc.empty() ? c->id : c->pg_desc, c->size);
      page_.field("collective", fmt::format("{} #{}{}", f.op.empty() ? "?" : f.op,
                                            f.seq >= 0 ? std::to_string(f.seq) : "?", on));
    }
    if (!f.kernel.empty()) page_.field("kernel", f.kernel);
    if (in_.job.year_known && f.time.bounded_below()) {
      page_.field("time", f.time.bounded_above() && f.time.hi - f.time.lo > kMillisecond
                              ? fmt::format("{} to {}", iso_time(f.time.lo), iso_time(f.time.hi))
                              : iso_time(f.time.lo));
    }
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
      some(verdict_.first_failure->evidence, kQuotes,
           [&](const Evidence& e) { page_.line(quote(e)); });
    }
    for (const BasisCheck& b : verdict_.basis) {
      if (!b.passed && !options_.explain) page_.line(fmt::format("not certain: {}", b.note));
    }
  }

  void chain() {
    if (verdict_.chain.size() < 2) return;
    page_.section("WHAT FOLLOWED");
    const std::vector<ChainLink> rest(verdict_.chain.begin() + 1, verdict_.chain.end());
    some(rest, kChain, [&](const ChainLink& c) { page_.line(fmt::format("-> {}", c.what)); });
  }

  void decoys() {
    if (verdict_.decoys.empty()) return;
    page_.section("LOUD BUT INNOCENT");
    some(verdict_.decoys, kDecoys, [&](const Decoy& d) {
      page_.line(fmt::format(
          "{}{}: {}", d.cls,
          d.reporters.empty() ? ""
                              : fmt::format(" ({} {})", d.reporters.size() == 1 ? "rank" : "ranks",
                                            d.reporters.str()),
          d.why_not));
      if (!d.evidence.empty()) page_.line(quote(d.evidence.front()), 4);
    });
  }

  void rows() {
    if (!verdict_.first_failure) return;
    const Communicator* c = attempt_.communicator(verdict_.first_failure->communicator);
    if (c == nullptr) return;
    for (const Slot& slot : c->slots) {
      if (slot.seq != verdict_.first_failure->seq) continue;
      page_.section(
          fmt::format("COLLECTIVE #{} ON {}", slot.seq, c->pg_desc.empty() ? c->id : c->pg_desc));
      some(slot_rows(*c, slot), kRows, [&](const SlotRow& r) { page_.line(row(r)); });
    }
  }

  static std::string row(const SlotRow& r) {
    const std::string who =
        fmt::format("{:<22}", (r.ranks.size() == 1 ? "rank " : "ranks ") + r.ranks.str());
    if (r.cell == nullptr) return who + " nothing known";
    const Cell& c = *r.cell;
    if (!c.issued) return who + " not issued";
    const OpSignature& s = c.signature;
    return fmt::format("{} {:<13} count {:<10} {:<9} {}{}", who, op_name(s.kind),
                       s.count < 0 ? "?" : std::to_string(s.count), s.dtype,
                       c.completed ? "completed" : "not completed",
                       c.after_cut ? ", issued after the others gave up" : "");
  }

  void missing() {
    if (verdict_.missing.empty()) return;
    page_.section("MISSING");
    some(verdict_.missing, kMissing, [&](const MissingEvidence& m) {
      page_.line(fmt::format("{}: {}", m.what, m.why));
      page_.line(m.how, 4);
    });
  }

  void advice() {
    if (verdict_.advice.empty() && !verdict_.action) return;
    page_.section("ADVICE");
    for (const std::string& a : verdict_.advice) page_.wrapped("- " + a);
    if (verdict_.action)
      page_.line(fmt::format("action: {} {} ({})", verdict_.action->kind, verdict_.action->target,
                             verdict_.action->why));
  }

  void explain() {
    page_.section("HOW SURE");
    for (const BasisCheck& b : verdict_.basis) {
      page_.line(fmt::format("[{}] {}{}", b.passed ? "x" : " ", b.check,
                             b.note.empty() ? "" : ": " + b.note));
    }
    for (const Alternative& a : verdict_.alternatives)
      page_.line(fmt::format("instead: {} ({}): {}", a.cause, name(a.confidence), a.why_less));
    page_.section("NODES");
    some(in_.diagnosis.nodes, 60, [&](const GraphNode& n) {
      page_.line(fmt::format(
          "{:<4} {:<30} by {:<12} about {:<12} x{}{}", n.id, n.cls,
          n.reporters.empty() ? "-" : n.reporters.str(),
          n.subjects.empty() ? "-" : n.subjects.str(), n.count,
          n.time.bounded_below() && in_.job.year_known ? "  " + iso_time(n.time.lo) : ""));
    });
    page_.section("EDGES (cause -> consequence)");
    some(in_.diagnosis.edges, 60, [&](const GraphEdge& e) {
      page_.line(fmt::format("{} -> {}  {} ({}{})", e.from, e.to, e.rule, e.order,
                             e.margin_s > 0 ? fmt::format(", {:.3f} s", e.margin_s) : ""));
    });
    page_.section("CLOCKS AND COVERAGE");
    for (const ClockInfo& c : in_.job.clocks) {
      page_.line(fmt::format(
          "clock {} {} {} offset {:.3f} s +- {} from {}", c.id, c.host, c.kind, c.offset_s,
          c.half_width_s < 0 ? "unknown" : fmt::format("{:.3f} s", c.half_width_s), c.from));
    }
    for (const Coverage& c : attempt_.coverage) {
      page_.line(fmt::format(
          "{:<16} {:<14} {}", c.source, c.host.empty() ? "job" : c.host,
          c.present ? (c.ranks.empty() ? "seen" : "ranks " + c.ranks.str()) : "none in the input"));
    }
  }

  void footer() {
    page_.blank();
    page_.line(fmt::format("firstfault {}: {} files read, {} skipped, {} rules", in_.tool.version,
                           in_.job.sources.size(), in_.job.skipped.size(), in_.tool.rule_count),
               0);
  }

  const ReportInput& in_;
  const Attempt& attempt_;
  const Verdict& verdict_;
  const TextOptions& options_;
  TextPage page_;
};

}  // namespace

std::string render_text(const ReportInput& input, const TextOptions& options) {
  return TextReport(input, options).write();
}

}  // namespace firstfault
