// Events of the catalogue as episodes: who reports, whom it concerns.
#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "timeline/episode_maker.h"
#include "timeline/machine_lines.h"

namespace firstfault {

namespace {

// Classes that accuse somebody else: without a resolvable target they concern nobody known.
constexpr std::string_view kAccusing[] = {
    "echo.peer_closed",      "echo.remote_error",       "echo.watchdog_timeout",
    "echo.store_wait",       "echo.nccl_error",         "echo.desync_report",
    "echo.store_lost",       "net.ib_completion_error", "net.socket_connect",
    "net.size_disagreement", "env.rendezvous",          "coll.barrier_missing",
    "coll.ras_behind",       "coll.desync_behind",      "echo.peer_unreachable",
    "net.socket_lost"};

bool accuses(const std::string& cls) {
  return std::find(std::begin(kAccusing), std::end(kAccusing), cls) != std::end(kAccusing);
}

// NCCL prints a warning of something it tries and can do without at INFO: a failed attempt, no
// fault. What others did stays a word about them, and a check inside NCCL stays one.
bool only_tried(const EventItem& item) {
  constexpr std::string_view kInfo = " NCCL INFO ";
  const std::string& cls = item.event.cls;
  if (!item.event.signature.starts_with("nccl.") || accuses(cls)) return false;
  if (cls.starts_with("echo.") || cls.starts_with("nccl.")) return false;
  return item.quote.text.find(kInfo) != std::string::npos &&
         (item.count == 1 || item.last_quote.text.find(kInfo) != std::string::npos);
}

bool of_a_machine(SourceKind kind) {
  return kind == SourceKind::kernel_log || kind == SourceKind::node_snapshot;
}

const std::string& first_capture(const Event& event,
                                 std::initializer_list<std::string_view> names) {
  static const std::string kNone;
  for (std::string_view name : names) {
    const std::string& value = event.capture(name);
    if (!value.empty()) return value;
  }
  return kNone;
}

std::int64_t number(const std::string& text) { return parse_int<std::int64_t>(text).value_or(-1); }

// "0000:17:00" and "17:00.0" -> "0000:17:00.0".
std::string full_pci(std::string text) {
  if (text.empty()) return text;
  text = to_lower(text);
  if (text.rfind("pci:", 0) == 0) text.erase(0, 4);
  if (text.find('.') == std::string::npos) text += ".0";
  if (std::count(text.begin(), text.end(), ':') == 1) text.insert(0, "0000:");
  if (text.size() == 16 && text.rfind("0000", 0) == 0)
    text.erase(0, 4);  // nvidia-smi's long domain
  return text;
}

}  // namespace

bool EpisodeMaker::pids_are_shared(std::uint32_t source) {
  const auto at = shares_pids_.find(source);
  if (at != shares_pids_.end()) return at->second;
  return shares_pids_[source] = shares_pids(scene_, source);
}

void EpisodeMaker::events() {
  const auto& sources = scene_.facts.sources;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    for (const EventItem& item : sources[s].events) event(s, item);
  }
}

void EpisodeMaker::event_of_machine(std::uint32_t source, const EventItem& item, const Said& said) {
  Contribution c;
  c.attempt = said.attempt;
  c.source = source;
  c.item = &item;
  Episode& e = c.episode;
  e.cls = item.event.cls;
  e.signature = item.event.signature;
  e.captures = item.event.captures;
  e.reporter.host = said.host;
  const std::int64_t named = number(first_capture(item.event, {"pid"}));
  const std::int64_t pid = pid_that_counts(scene_.identity, e.cls, named);
  const Resolved resolved = subject_on_machine(
      scene_, said.host, pid, full_pci(first_capture(item.event, {"pci", "bus", "busid"})),
      said.time, pids_are_shared(source));
  e.about = resolved.subject;
  e.joined_by_guess = resolved.guess || pid != named;
  bool system = is_system_process(first_capture(item.event, {"process"}));
  for (const RecordItem* record :
       nearby_.records(source, item.speaker, item.quote.line, item.quote.line)) {
    const auto* kill = std::get_if<OomKill>(&record->record);
    system = system || (kill != nullptr && is_system_cgroup(kill->cgroup));
  }
  e.in_window = resolved.of_the_job && !(system && resolved.subject.ranks.empty() && pid >= 0);
  if (resolved.attempt >= 0) c.attempt = resolved.attempt;
  book_.add(c);
}

void EpisodeMaker::event(std::uint32_t source, const EventItem& item) {
  if (item.quote.line > 0 && made_.contains({source, item.quote.line, item.event.cls})) return;
  if (only_tried(item)) return;
  const Said said = scene_.said(source, item);
  if (of_a_machine(scene_.facts.sources[source].info.kind)) {
    event_of_machine(source, item, said);
    return;
  }
  Contribution c;
  c.attempt = said.attempt;
  c.source = source;
  c.item = &item;
  Episode& e = c.episode;
  e.cls = item.event.cls;
  e.signature = item.event.signature;
  e.captures = item.event.captures;
  e.joined_by_guess = said.guess;
  if (const auto at = on_group_.find(&item); at != on_group_.end()) {
    e.communicator = at->second.communicator;
    e.seq = at->second.seq;
  }
  const bool own_word = said.rank >= 0 && !said.agent;
  const std::int64_t pid = number(first_capture(item.event, {"pid"}));
  const auto named = pid >= 0 ? scene_.identity.find(-1, pid, own_word ? said.host : "", "")
                              : std::optional<ProcessMatch>();
  if (!own_word && named) c.attempt = named->attempt;
  e.reporter = subject_of(scene_, said);
  const std::string& peer = first_capture(item.event, {"peer", "address", "remote"});
  const std::int64_t global = number(first_capture(item.event, {"global_rank", "rank"}));
  const std::int64_t group_rank = number(first_capture(item.event, {"peer_rank", "group_rank"}));
  if (!peer.empty() && accuses(e.cls)) {
    e.about = subject_of_peer(scene_, c.attempt, peer);
    // A connection to one's own host and rank says nothing about another.
    if (e.about.ranks == e.reporter.ranks) {
      e.about = Subject{};
      e.about.peer = peer;
    }
  } else if (global >= 0 && global < scene_.identity.world_size()) {
    e.about = subject_of_rank(scene_, c.attempt, static_cast<std::int32_t>(global));
  } else if (group_rank >= 0 && group_rank < scene_.identity.world_size() && accuses(e.cls)) {
    std::int32_t g = -1;
    for (std::size_t i = 0; i < groups_.of(c.attempt).size(); ++i) {
      if (!e.communicator.empty() && Groups::id(static_cast<std::int32_t>(i)) == e.communicator) {
        g = static_cast<std::int32_t>(i);
      }
    }
    e.about =
        subject_of_rank(scene_, c.attempt,
                        groups_.global_rank(c.attempt, g, static_cast<std::int32_t>(group_rank)));
  } else if (named) {
    e.about = subject_of_rank(scene_, named->attempt, named->rank);
  } else if (!accuses(e.cls)) {
    e.about = e.reporter;
    if (!own_word && pid >= 0) e.about.pid = pid;
    const std::string pci = full_pci(first_capture(item.event, {"pci", "bus", "busid"}));
    if (!pci.empty()) e.about.pci = pci;
  }
  book_.add(c);
}

}  // namespace firstfault
