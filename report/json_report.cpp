#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/report.h"
#include "report/slot_rows.h"
#include "report/when.h"

namespace firstfault {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostEvidence = 8, kMostRows = 64, kMostNodes = 200, kMostEdges = 400,
                      kMostSkipped = 200, kMostInputs = 5000, kMostRanks = 20000, kMostSteps = 50,
                      kMostWords = 20, kMostAttempts = 1000, kMostClocks = 1000, kMostValues = 200;

Json text(const std::string& s) { return s.empty() ? Json(nullptr) : Json(s); }
Json number(std::int64_t n, std::int64_t unknown = -1) {
  return n == unknown ? Json(nullptr) : Json(n);
}
Json ranks_list(const RankSet& ranks) { return Json(ranks.values()); }

class Writer {
 public:
  explicit Writer(const ReportInput& in) : in_(in), attempt_(in.attempt()) {}

  Json report() {
    Json out;
    out["schema"] = "firstfault.report/1";
    out["tool"] = {{"name", "firstfault"},
                   {"version", in_.tool.version},
                   {"rules", {{"count", in_.tool.rule_count}, {"hash", in_.tool.rule_hash}}},
                   {"taxonomy", 1}};
    inputs(&out);
    out["job"] = job();
    communicators(&out);
    out["verdict"] = verdict();
    attempts(&out);
    out["graph"] = graph();
    collectives(&out);
    clocks(&out);
    coverage(&out);
    out["delay"] = {{"failed", nullptr},
                    {"first_mention", nullptr},
                    {"ended", nullptr},
                    {"rank_hours_lost", nullptr}};
    out["replay"] = nullptr;
    out["seen_before"] = nullptr;
    skipped(&out);
    return out;
  }

 private:
  // Sets owner[key] to at most `most` of `items`; the rest is counted beside it by "KEY_omitted".
  template <typename Items, typename Make>
  static void capped(Json* owner, const std::string& key, const Items& items, std::size_t most,
                     Make make) {
    Json list = Json::array();
    for (const auto& item : items) {
      if (list.size() == most) break;
      list.push_back(make(item));
    }
    (*owner)[key] = std::move(list);
    if (items.size() > most) (*owner)[key + "_omitted"] = items.size() - most;
  }

  Json bound(std::int64_t ns, std::int64_t unknown) const {
    return ns == unknown || !in_.job.year_known ? Json(nullptr) : Json(iso_time(ns));
  }
  Json span(const Interval& t) const {
    if (t.unknown()) return nullptr;
    return {{"earliest", bound(t.lo, kTimeMin)}, {"latest", bound(t.hi, kTimeMax)}};
  }
  Json time(const Interval& t) const {
    if (t.unknown()) return nullptr;
    Json out = span(t);
    out["zone"] = in_.job.zone_is_utc ? "UTC" : "unknown";
    out["clock"] = in_.job.clocks.empty() ? Json(nullptr) : Json(in_.job.clocks.front().id);
    return out;
  }

  // Evidence is the only list of its owner: what is left out is counted by "omitted".
  Json proven(Json owner, const std::vector<Evidence>& evidence) const {
    Json list = Json::array();
    for (const Evidence& e : evidence) {
      if (list.size() == kMostEvidence) break;
      list.push_back(quoted(e));
    }
    owner["evidence"] = std::move(list);
    if (evidence.size() > kMostEvidence) owner["omitted"] = evidence.size() - kMostEvidence;
    return owner;
  }
  Json quoted(const Evidence& e) const {
    const Quote& q = e.quote;
    const bool known = e.source < in_.job.sources.size();
    return Json{{"file", known ? Json(in_.job.sources[e.source].file) : Json(nullptr)},
                {"line", q.line == 0 ? Json(nullptr) : Json(q.line)},
                {"record", text(q.record)},
                {"offset", q.offset},
                {"length", q.length},
                {"text", q.text},
                {"lossy", q.lossy}};
  }

  void inputs(Json* out) const {
    static constexpr const char* kRead[] = {"whole", "partly", "not_at_all"};
    capped(out, "inputs", in_.job.sources, kMostInputs, [&](const JobSource& s) {
      return Json{{"file", s.file},
                  {"kind", source_kind_name(s.info.kind)},
                  {"bytes", s.info.bytes},
                  {"lines", s.info.lines},
                  {"read", kRead[static_cast<std::size_t>(s.info.read)]},
                  {"host", text(s.host)},
                  {"span", span(s.span)},
                  {"note", text(s.info.note)}};
    });
  }

  Json exit_of(const RankInfo& r) const {
    if (r.exits.empty()) return nullptr;
    const ProcessExit& e = r.exits.front();
    return {{"code", e.code ? Json(*e.code) : Json(nullptr)},
            {"signal", text(e.signal)},
            {"reported_by", text(e.reported_by)}};
  }

  using Values = std::map<std::string, RankSet>;

  Json job() const {
    Json out;
    out["world_size"] = attempt_.world_size > 0 ? Json(attempt_.world_size) : Json(nullptr);
    out["backend"] = text(in_.job.backend);
    out["start"] =
        attempt_.window.bounded_below() ? bound(attempt_.window.lo, kTimeMin) : Json(nullptr);
    out["end"] =
        attempt_.window.bounded_above() ? bound(attempt_.window.hi, kTimeMax) : Json(nullptr);
    capped(&out, "hosts", in_.job.hosts, kMostRanks, [](const Host& h) {
      return Json{{"name", h.name}, {"aliases", h.aliases}, {"boot", nullptr}};
    });
    capped(&out, "ranks", attempt_.ranks, kMostRanks, [&](const RankInfo& r) {
      return Json{
          {"rank", r.rank},
          {"host", text(r.host)},
          {"pid", number(r.pid)},
          {"local_rank", number(r.local_rank)},
          {"gpu", {{"pci", text(r.pci)}, {"index", number(r.gpu_index)}, {"uuid", nullptr}}},
          {"exit", exit_of(r)},
          {"last_seen", span(r.last_seen)}};
    });
    Json software = {{"nccl", Json::object()},
                     {"torch", Json::object()},
                     {"cuda", Json::object()},
                     {"driver", Json::object()}};
    for (const auto& [component, values] : attempt_.versions) {
      for (const auto& [value, ranks] : values) software[component][value] = ranks.str();
    }
    out["software"] = std::move(software);
    out["minority"] = Json::array();
    for (const auto* table : {&attempt_.settings, &attempt_.versions}) {
      for (const auto& [name, values] : *table) {
        if (values.size() > 1) out["minority"].push_back(minority(name, values));
      }
    }
    return out;
  }

  // Without a value that most ranks share, majority is null and `others` has all values.
  static Json minority(const std::string& name, const Values& values) {
    auto majority = values.begin();
    bool tie = false;
    for (auto v = std::next(values.begin()); v != values.end(); ++v) {
      if (v->second.size() < majority->second.size()) continue;
      tie = v->second.size() == majority->second.size();
      if (!tie) majority = v;
    }
    Json out = {{"name", name}, {"majority", tie ? Json(nullptr) : Json(majority->first)}};
    Json others = Json::object();
    std::size_t left_out = 0;
    for (auto v = values.begin(); v != values.end(); ++v) {
      if (v == majority && !tie) continue;
      if (others.size() < kMostValues) {
        others[v->first] = v->second.str();
      } else {
        ++left_out;
      }
    }
    out["others"] = std::move(others);
    if (left_out > 0) out["omitted"] = left_out;
    return out;
  }

  void communicators(Json* out) const {
    capped(out, "communicators", attempt_.communicators, kMostInputs, [](const Communicator& c) {
      return Json{{"id", c.id},
                  {"names", {{"pg", text(c.pg_name)}, {"desc", text(c.pg_desc)}}},
                  {"hash", c.hash ? Json(hex(*c.hash)) : Json(nullptr)},
                  {"size", c.size},
                  {"members", c.members.str()}};
    });
  }

  Json first_failure(const FirstFailure& f) const {
    Json out;
    out["scope"] = name(f.scope);
    const bool one = f.rank && (f.scope == Scope::rank || f.scope == Scope::gpu);
    out["rank"] = one ? Json(*f.rank) : Json(nullptr);
    out["ranks"] = ranks_list(f.ranks);
    out["host"] = text(f.host);
    out["pid"] = number(f.pid);
    out["gpu"] = text(f.gpu);
    out["link"] = text(f.link);
    out["confidence"] = text(std::string(name(f.confidence)));
    out["operation"] = f.operation_kind.empty() ? Json(nullptr)
                                                : Json{{"kind", f.operation_kind},
                                                       {"name", text(f.operation_name)},
                                                       {"raw", text(f.operation_raw)}};
    out["op"] = text(f.op);
    out["seq"] = number(f.seq);
    out["seq_kind"] = f.seq < 0 ? Json(nullptr) : Json(seq_kind_name(f.seq_kind));
    out["communicator"] = text(f.communicator);
    out["kernel"] = text(f.kernel);
    out["surfaced"] = text(f.surfaced);
    out["between"] = f.after.empty() && f.before.empty()
                         ? Json(nullptr)
                         : Json{{"after", text(f.after)}, {"before", text(f.before)}};
    out["time"] = time(f.time);
    return proven(std::move(out), f.evidence);
  }

  Json verdict() const {
    const Verdict& v = in_.diagnosis.verdict;
    Json out;
    out["status"] = name(v.status);
    out["cause"] = text(v.cause);
    out["confidence"] = text(std::string(name(v.confidence)));
    out["domain"] = v.domain;
    out["phase"] = v.phase;
    out["title"] = v.title;
    out["first_failure"] = v.first_failure ? first_failure(*v.first_failure) : Json(nullptr);
    out["must_be"] = ranks_list(v.must_be);
    out["may_be"] = ranks_list(v.may_be);
    capped(&out, "basis", v.basis, kMostSteps, [](const BasisCheck& b) {
      return Json{
          {"check", b.check}, {"passed", b.passed}, {"node", text(b.node)}, {"note", text(b.note)}};
    });
    capped(&out, "chain", v.chain, kMostSteps, [&](const ChainLink& c) {
      return proven({{"node", c.node},
                     {"class", c.cls},
                     {"subjects", c.subjects.str()},
                     {"what", c.what},
                     {"explains", c.explains}},
                    c.evidence);
    });
    capped(&out, "decoys", v.decoys, kMostSteps, [&](const Decoy& d) {
      return proven({{"node", d.node},
                     {"class", d.cls},
                     {"reporters", d.reporters.str()},
                     {"why_not", d.why_not}},
                    d.evidence);
    });
    capped(&out, "alternatives", v.alternatives, kMostWords, [](const Alternative& a) {
      return Json{{"cause", a.cause}, {"confidence", name(a.confidence)}, {"why_less", a.why_less}};
    });
    out["action"] = v.action ? Json{{"kind", v.action->kind},
                                    {"target", text(v.action->target)},
                                    {"why", text(v.action->why)}}
                             : Json(nullptr);
    capped(&out, "advice", v.advice, kMostWords, [](const std::string& a) { return Json(a); });
    capped(&out, "missing", v.missing, kMostWords, [](const MissingEvidence& m) {
      return Json{{"what", m.what}, {"why", m.why}, {"how", m.how}};
    });
    return out;
  }

  void attempts(Json* out) const {
    capped(out, "attempts", in_.diagnosis.attempts, kMostAttempts, [&](const AttemptVerdict& a) {
      return Json{
          {"attempt", a.attempt},
          {"window",
           {{"earliest", bound(a.window.lo, kTimeMin)}, {"latest", bound(a.window.hi, kTimeMax)}}},
          {"verdict",
           {{"status", name(a.status)},
            {"cause", text(a.cause)},
            {"rank", a.rank ? Json(*a.rank) : Json(nullptr)}}}};
    });
  }

  Json graph() const {
    Json out;
    capped(&out, "nodes", in_.diagnosis.nodes, kMostNodes, [&](const GraphNode& n) {
      return proven({{"id", n.id},
                     {"kind", n.kind},
                     {"class", n.cls},
                     {"reporters", n.reporters.str()},
                     {"subjects", n.subjects.str()},
                     {"time", time(n.time)},
                     {"count", n.count}},
                    n.evidence);
    });
    capped(&out, "edges", in_.diagnosis.edges, kMostEdges, [](const GraphEdge& e) {
      return Json{{"from", e.from},
                  {"to", e.to},
                  {"rule", e.rule},
                  {"order", e.order},
                  {"margin_s", e.margin_s}};
    });
    return out;
  }

  // The slots where members differ or that did not complete; in all at most kMostRows rows.
  void collectives(Json* out) const {
    const auto& failure = in_.diagnosis.verdict.first_failure;
    const std::vector<OddSlot> odd =
        odd_slots(attempt_, failure ? failure->communicator : "", failure ? failure->seq : -1);
    Json list = Json::array();
    std::size_t left_out = 0;
    for (const ShownSlot& shown : within(odd, kMostRows)) {
      if (shown.rows.empty()) {
        ++left_out;
        continue;
      }
      const Communicator& c = *shown.communicator;
      Json one = {{"communicator", c.id},
                  {"slot", shown.slot->seq},
                  {"seq", number(shown.slot->seq)},
                  {"seq_kind", seq_kind_name(c.seq_kind)}};
      one["rows"] = Json::array();
      for (const SlotRow& r : shown.rows) one["rows"].push_back(row(r));
      if (shown.omitted > 0) one["omitted"] = shown.omitted;
      list.push_back(std::move(one));
    }
    (*out)["collectives"] = std::move(list);
    if (left_out > 0) (*out)["collectives_omitted"] = left_out;
  }

  static Json row(const SlotRow& r) {
    if (r.cell == nullptr) {
      return {{"ranks", r.ranks.str()}, {"op", nullptr},     {"count", nullptr},
              {"dtype", nullptr},       {"root", nullptr},   {"issued", nullptr},
              {"completed", nullptr},   {"grade", "nothing"}};
    }
    const Cell& c = *r.cell;
    const OpSignature& s = c.signature;
    return {{"ranks", r.ranks.str()},
            {"op", s.kind == OpKind::unknown ? Json(nullptr) : Json(op_token(s.kind))},
            {"count", s.count < 0 ? Json(nullptr) : Json(std::to_string(s.count))},
            {"dtype", text(s.dtype)},
            {"root", number(s.root)},
            {"issued", c.issued},
            {"completed", c.completed},
            {"grade", grade_name(c.grade)},
            {"after_cut", c.after_cut}};
  }

  void clocks(Json* out) const {
    capped(out, "clocks", in_.job.clocks, kMostClocks, [](const ClockInfo& c) {
      return Json{{"id", c.id},
                  {"host", text(c.host)},
                  {"kind", c.kind},
                  {"offset_s", c.offset_s},
                  {"half_width_s", c.half_width_s < 0 ? Json(nullptr) : Json(c.half_width_s)},
                  {"from", text(c.from)}};
    });
  }

  void coverage(Json* out) const {
    capped(out, "coverage", attempt_.coverage, kMostInputs, [&](const Coverage& c) {
      return Json{{"host", text(c.host)},
                  {"source", c.source},
                  {"ranks", text(c.ranks.str())},
                  {"span", span(c.span)},
                  {"note", c.present ? Json(nullptr) : Json("none in the input")}};
    });
  }

  void skipped(Json* out) const {
    capped(out, "skipped", in_.job.skipped, kMostSkipped, [](const Skipped& s) {
      return Json{{"file", s.path}, {"reason", s.reason}, {"bytes", s.bytes}};
    });
  }

  const ReportInput& in_;
  const Attempt& attempt_;
};

}  // namespace

std::string render_json(const ReportInput& input) {
  return Writer(input).report().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace firstfault
