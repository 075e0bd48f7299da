#include "timeline/subjects.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace firstfault {

Subject subject_of_rank(const Scene& scene, std::int32_t attempt, std::int32_t rank) {
  Subject out;
  if (rank < 0) return out;
  out.ranks.insert(rank);
  if (const Process* process = scene.identity.process(attempt, rank)) {
    out.host = process->host;
    out.pci = process->pci;
    if (!process->pids.empty()) out.pid = process->pids.front();
  }
  return out;
}

Subject subject_of_ranks(const Scene& scene, std::int32_t attempt, const RankSet& ranks) {
  if (ranks.size() == 1) return subject_of_rank(scene, attempt, ranks.smallest());
  Subject out;
  out.ranks = ranks;
  std::set<std::string> hosts;
  for (std::int32_t rank : ranks) {
    if (const Process* process = scene.identity.process(attempt, rank)) hosts.insert(process->host);
  }
  if (hosts.size() == 1) out.host = *hosts.begin();
  return out;
}

Subject subject_of(const Scene& scene, const Said& said) {
  if (said.rank >= 0 && !said.agent) return subject_of_rank(scene, said.attempt, said.rank);
  Subject out;
  out.host = said.host;
  out.pid = said.pid;
  return out;
}

Subject subject_of_peer(const Scene& scene, std::int32_t attempt, std::string_view peer) {
  const std::string host = scene.identity.hosts().host_of(peer);
  if (!host.empty()) {
    const std::int32_t rank = scene.identity.only_rank_on(attempt, host);
    if (rank >= 0) return subject_of_rank(scene, attempt, rank);
  }
  Subject out;
  out.host = host;
  out.peer = std::string(peer);
  return out;
}

Resolved subject_on_machine(const Scene& scene, std::string_view host, std::int64_t pid,
                            std::string_view pci, const Interval& time, bool shares) {
  const Identity& identity = scene.identity;
  Resolved out;
  out.subject.host = identity.hosts().canonical(host);
  out.subject.pci = std::string(pci);
  out.subject.pid = pid;
  const bool timed = !time.unknown();
  auto in_time = [&](std::int32_t attempt) {
    return scene.attempts.inside(attempt, time).value_or(true);
  };
  auto adopt = [&](const ProcessMatch& match) {
    const std::string named_pci = out.subject.pci;
    out.subject = subject_of_rank(scene, match.attempt, match.rank);
    if (out.subject.pci.empty()) out.subject.pci = named_pci;
    out.attempt = match.attempt;
    out.of_the_job = in_time(match.attempt);
  };
  if (pid >= 0) {
    if (const auto match = identity.find(-1, pid, host, pci)) {
      adopt(*match);
      out.subject.pid = pid;
      return out;
    }
    if (identity.knows_pid(pid) && identity.find(-1, pid, host, "")) {
      // The pid fits, the GPU does not: one of the two is another machine's.
      adopt(*identity.find(-1, pid, host, ""));
      out.subject.pid = pid;
      if (!pci.empty()) out.subject.pci = std::string(pci);
      out.guess = true;
      return out;
    }
  }
  if (pid >= 0 && identity.is_loose_pid(pid)) return out;  // of the job, of no rank
  if (identity.processes().empty() && !identity.has_loose_pids()) return out;
  const bool foreign = pid >= 0 && shares;  // its pids are ours, this one is not
  if (!pci.empty() && !foreign) {
    std::set<std::string> hosts;
    RankSet ranks;
    std::int32_t attempt = -1;
    for (const Process& p : identity.processes()) {
      if (p.pci != pci) continue;
      if (!out.subject.host.empty() && !p.host.empty() && p.host != out.subject.host) continue;
      if (timed && !in_time(p.attempt)) continue;
      if (attempt >= 0 && p.attempt != attempt) continue;
      attempt = p.attempt;
      hosts.insert(p.host);
      ranks.insert(p.rank);
    }
    if (!ranks.empty()) {
      out.attempt = attempt;
      if (hosts.size() == 1) {
        out.subject.ranks = ranks;
        if (out.subject.host.empty()) out.subject.host = *hosts.begin();
      }
      // A pid nobody knows, at an unknown time: perhaps an older job on the same GPU.
      out.guess = pid >= 0 && !timed;
      return out;
    }
  }
  // Nothing joins it but the time.
  out.of_the_job = false;
  if (timed && !foreign) {
    for (std::size_t a = 0; a < scene.attempts.count(); ++a) {
      if (!scene.attempts.inside(static_cast<std::int32_t>(a), time).value_or(false)) continue;
      out.of_the_job = true;
      out.attempt = static_cast<std::int32_t>(a);
      break;
    }
  }
  return out;
}

bool shares_pids(const Scene& scene, std::uint32_t source) {
  const SourceFacts& facts = scene.facts.sources[source];
  auto ours = [&](std::int64_t pid, std::uint32_t speaker) {
    if (pid < 0) return false;
    if (scene.identity.is_loose_pid(pid)) return true;
    return scene.identity.find(-1, pid, scene.identity.voice(source, speaker).host, "").has_value();
  };
  for (const RecordItem& item : facts.records) {
    if (const auto* fault = std::get_if<GpuKernelFault>(&item.record)) {
      if (ours(fault->pid, item.speaker)) return true;
    } else if (const auto* kill = std::get_if<OomKill>(&item.record)) {
      if (ours(kill->pid, item.speaker)) return true;
    } else if (const auto* crash = std::get_if<UserCrash>(&item.record)) {
      if (ours(crash->pid, item.speaker)) return true;
    }
  }
  for (const EventItem& item : facts.events) {
    const auto pid = parse_int<std::int64_t>(item.event.capture("pid"));
    if (pid && ours(*pid, item.speaker)) return true;
  }
  return false;
}

}  // namespace firstfault
