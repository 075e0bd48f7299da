#include "timeline/coverage.h"

#include <algorithm>
#include <map>
#include <set>

#include "timeline/subjects.h"

namespace firstfault {

namespace {

void grow(Interval* span, const Interval& time) {
  if (time.bounded_below()) {
    span->lo = span->lo == kTimeMin ? time.lo : std::min(span->lo, time.lo);
  }
  if (time.bounded_above()) {
    span->hi = span->hi == kTimeMax ? time.hi : std::max(span->hi, time.hi);
  }
}

}  // namespace

std::string host_of_source(const Scene& scene, std::uint32_t source) {
  const SourceFacts& facts = scene.facts.sources[source];
  std::set<std::string> hosts;
  for (std::uint32_t v = 0; v < std::max<std::size_t>(1, facts.speakers.size()); ++v) {
    const Voice& voice = scene.identity.voice(source, v);
    std::string host = voice.host;
    if (host.empty() && voice.rank >= 0 && !voice.agent) {
      const Process* process = scene.identity.process(std::max(voice.attempt, 0), voice.rank);
      if (process != nullptr) host = process->host;
    }
    if (!host.empty()) hosts.insert(host);
  }
  return hosts.size() == 1 ? *hosts.begin() : std::string();
}

Interval span_of_source(const Scene& scene, std::uint32_t source) {
  const SourceFacts& facts = scene.facts.sources[source];
  Interval span;
  grow(&span, scene.clock.at(facts.first_stamp));
  grow(&span, scene.clock.at(facts.last_stamp));
  return span.empty() ? Interval{} : span;
}

std::vector<Coverage> make_coverage(const Scene& scene, const Groups& groups,
                                    const RankTable& ranks, std::int32_t attempt) {
  std::map<std::pair<std::string, std::string>, Coverage> rows;  // (host, source)
  auto row = [&](const std::string& host, const char* source) -> Coverage& {
    Coverage& c = rows[{host, source}];
    c.host = host;
    c.source = source;
    return c;
  };
  for (const char* source :
       {"rank_log", "launcher", "flight_recorder", "nccl_debug", "nccl_coll", "scheduler"}) {
    row("", source);
  }
  std::set<std::string> hosts;
  for (const auto& [rank, notes] : ranks.of(attempt)) {
    if (notes.info.host.empty()) continue;
    hosts.insert(notes.info.host);
    row(notes.info.host, "kernel").ranks.insert(rank);
    if (notes.info.has_log) row("", "rank_log").ranks.insert(rank);
  }
  for (const auto& [rank, notes] : ranks.of(attempt)) {
    if (notes.info.has_log) row("", "rank_log").ranks.insert(rank);
  }
  row("", "rank_log").present = !row("", "rank_log").ranks.empty();
  for (const CommInstance& c : scene.identity.instances()) {
    const Voice& voice = scene.identity.voice(c.source, c.speaker);
    if (voice.rank < 0 || (voice.attempt >= 0 && voice.attempt != attempt)) continue;
    row("", "nccl_debug").present = true;
    row("", "nccl_debug").ranks.insert(voice.rank);
  }
  for (const Group& group : groups.of(attempt)) {
    for (const auto& [rank, view] : group.fr) {
      row("", "flight_recorder").present = true;
      row("", "flight_recorder").ranks.insert(rank);
    }
    for (const auto& [rank, views] : group.coll) {
      row("", "nccl_coll").present = true;
      row("", "nccl_coll").ranks.insert(rank);
    }
  }
  for (std::uint32_t s = 0; s < scene.facts.sources.size(); ++s) {
    const SourceFacts& source = scene.facts.sources[s];
    if (source.info.read == ReadExtent::not_at_all) continue;
    const Interval span = span_of_source(scene, s);
    if (source.info.kind == SourceKind::kernel_log) {
      std::set<std::string> covered;
      const std::string own = host_of_source(scene, s);
      if (!own.empty()) covered.insert(own);
      if (own.empty()) {
        // A log of an unnamed machine is that of every host whose pids it names.
        auto claim = [&](std::int64_t pid) {
          const auto match = scene.identity.find(-1, pid, "", "");
          if (pid >= 0 && match && !match->host.empty()) covered.insert(match->host);
        };
        for (const RecordItem& item : source.records) {
          if (const auto* x = std::get_if<GpuKernelFault>(&item.record)) claim(x->pid);
          if (const auto* x = std::get_if<OomKill>(&item.record)) claim(x->pid);
          if (const auto* x = std::get_if<UserCrash>(&item.record)) claim(x->pid);
        }
        if (hosts.size() == 1) covered.insert(*hosts.begin());
        covered.insert("");
      }
      for (const std::string& host : covered) {
        Coverage& c = row(host, "kernel");
        c.present = true;
        grow(&c.span, span);
      }
    } else if (source.info.kind == SourceKind::launcher_log) {
      row("", "launcher").present = true;
      grow(&row("", "launcher").span, span);
    } else if (source.info.kind == SourceKind::scheduler_log) {
      row("", "scheduler").present = true;
      grow(&row("", "scheduler").span, span);
    } else if (source.info.kind == SourceKind::rank_log) {
      grow(&row("", "rank_log").span, span);
    }
  }
  std::vector<Coverage> out;
  for (auto& [key, coverage] : rows) out.push_back(std::move(coverage));
  return out;
}

}  // namespace firstfault
