// Records of watchdogs, barriers, stores, RAS, debuggers and kernels as episodes.
#include <fmt/format.h>

#include <algorithm>

#include "timeline/episode_maker.h"
#include "timeline/machine_lines.h"

namespace firstfault {

namespace {

constexpr std::uint32_t kFailureLines = 8;  // a watchdog's report and the NCCL error text below it

bool tells_nothing(const std::string& cls) {
  return cls.starts_with("noise.") || cls.starts_with("context.");
}

struct XidClass {
  std::int32_t first, last;
  const char* cls;
};
// Numbers: docs/formats, "Xid"; used only where no signature of the catalogue saw the line.
constexpr XidClass kXids[] = {
    {79, 79, "kernel.xid_bus"},         {48, 48, "kernel.xid_memory"},
    {63, 64, "kernel.xid_memory"},      {92, 92, "kernel.xid_memory"},
    {94, 95, "kernel.xid_memory"},      {140, 140, "kernel.xid_memory"},
    {171, 172, "kernel.xid_memory"},    {74, 74, "kernel.xid_nvlink"},
    {144, 150, "kernel.xid_nvlink"},    {119, 120, "kernel.xid_gsp"},
    {13, 13, "kernel.xid_application"}, {31, 31, "kernel.xid_application"},
    {43, 43, "kernel.xid_teardown"},    {45, 45, "kernel.xid_teardown"}};

struct CudaClass {
  std::int32_t code;
  const char* cls;
};
constexpr CudaClass kCudaCodes[] = {{2, "cuda.out_of_memory"},
                                    {9, "cuda.invalid_configuration"},
                                    {35, "cuda.driver_too_old"},
                                    {46, "cuda.device_unavailable"},
                                    {100, "cuda.device_unavailable"},
                                    {101, "cuda.device_unavailable"},
                                    {214, "cuda.memory_ecc"},
                                    {220, "cuda.nvlink"},
                                    {700, "cuda.illegal_memory_access"},
                                    {702, "cuda.launch_failure"},
                                    {710, "cuda.device_assert"},
                                    {715, "cuda.launch_failure"},
                                    {716, "cuda.illegal_memory_access"},
                                    {719, "cuda.launch_failure"},
                                    {802, "cuda.fabric_manager"}};

struct GpuClass {
  std::int32_t code;  // CUDBGException_t
  const char* cls;
};
// Bad addresses (1, 5, 6, 7, 10, 11, 14, 17, 29, 30) and what a memory checker reports are not
// listed.
constexpr GpuClass kGpuCodes[] = {
    {0, "gpu.exception_launch"},  {2, "gpu.exception_launch"},  {3, "gpu.exception_launch"},
    {4, "gpu.exception_launch"},  {8, "gpu.exception_launch"},  {9, "gpu.exception_launch"},
    {12, "gpu.exception_assert"}, {13, "gpu.exception_launch"}, {15, "gpu.exception_launch"},
    {16, "gpu.exception_launch"}, {18, "gpu.exception_launch"}, {19, "gpu.exception_launch"},
    {20, "gpu.exception_launch"}, {21, "gpu.exception_launch"}, {22, "gpu.exception_launch"},
    {23, "gpu.exception_launch"}, {24, "gpu.exception_launch"}, {25, "gpu.exception_launch"},
    {26, "gpu.exception_launch"}, {27, "gpu.exception_launch"}, {28, "gpu.exception_launch"},
    {31, "gpu.exception_launch"}, {32, "gpu.exception_poison"}, {33, "gpu.exception_launch"},
    {34, "gpu.exception_launch"}, {35, "gpu.exception_launch"}, {36, "gpu.exception_launch"}};

// Signals that a process gets for a fault of its own, or sends to itself to give up.
constexpr std::string_view kCrashSignals[] = {"SIGSEGV", "SIGBUS",  "SIGILL", "SIGFPE",
                                              "SIGABRT", "SIGTRAP", "SIGSYS"};

}  // namespace

Capture make_capture(std::string name, std::string value) {
  constexpr std::size_t kBound = 256;
  if (value.size() > kBound) {
    std::size_t cut = kBound;
    while (cut > 0 && (static_cast<unsigned char>(value[cut]) & 0xC0) == 0x80) --cut;
    value.resize(cut);
  }
  return {std::move(name), std::move(value)};
}

void EpisodeMaker::mark_made(std::uint32_t source, const Quote& quote, const std::string& cls) {
  if (quote.line > 0) made_.emplace(source, quote.line, cls);
}

void EpisodeMaker::add(const Place& at, Episode episode) {
  mark_made(at.source, at.item->quote, episode.cls);
  Contribution c;
  c.attempt = at.said.attempt;
  c.source = at.source;
  c.item = at.item;
  c.episode = std::move(episode);
  book_.add(c);
}

Episode EpisodeMaker::by_rank(const Place& at, const char* cls) const {
  Episode e;
  e.cls = cls;
  e.reporter = subject_of(scene_, at.said);
  e.joined_by_guess = at.said.guess;
  return e;
}

void EpisodeMaker::records() {
  const auto& sources = scene_.facts.sources;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    for (const RecordItem& item : sources[s].records) {
      const Place at{s, &item, scene_.said(s, item)};
      const Record& r = item.record;
      if (const auto* x = std::get_if<WorkFailure>(&r)) work_failure(at, *x);
      if (const auto* x = std::get_if<GroupStatus>(&r)) group_status(at, *x);
      if (const auto* x = std::get_if<BarrierReport>(&r)) barrier_report(at, *x);
      if (const auto* x = std::get_if<DesyncReport>(&r)) desync_report(at, *x);
      if (const auto* x = std::get_if<StoreWait>(&r)) store_wait(at, *x);
      if (const auto* x = std::get_if<RasStatus>(&r)) ras_status(at, *x);
      if (const auto* x = std::get_if<StackSnapshot>(&r)) stack_snapshot(at, *x);
      if (const auto* x = std::get_if<GpuException>(&r)) gpu_exception(at, *x);
      if (const auto* x = std::get_if<CudaError>(&r)) cuda_error(at, *x);
      if (const auto* x = std::get_if<GpuKernelFault>(&r)) kernel_fault(at, *x);
      if (const auto* x = std::get_if<OomKill>(&r)) oom_kill(at, *x);
      if (const auto* x = std::get_if<ProcessCore>(&r)) process_core(at, *x);
    }
  }
}

void EpisodeMaker::work_failure(const Place& at, const WorkFailure& failure) {
  const std::int32_t g = at.said.rank < 0 ? -1
                                          : groups_.of_failure(at.said.attempt, at.said.rank,
                                                               at.source, *at.item, failure);
  const OnGroup on{Groups::id(g), failure.seq};
  const bool timeout = failure.how != WorkFailure::How::exception;
  const std::uint32_t line = at.item->quote.line;
  bool covered = false;
  for (const EventItem* event :
       nearby_.events(at.source, at.item->speaker, line, timeout ? line : line + kFailureLines)) {
    if (tells_nothing(event->event.cls)) continue;
    on_group_.try_emplace(event, on);
    covered = true;
  }
  if (covered && !timeout) return;
  Episode e = by_rank(at, timeout ? "echo.watchdog_timeout" : "echo.remote_error");
  e.communicator = on.communicator;
  e.seq = failure.seq;
  e.captures.push_back(make_capture("op", failure.op_type));
  if (failure.timeout_ms >= 0) {
    e.captures.push_back(make_capture("timeout_ms", std::to_string(failure.timeout_ms)));
  }
  if (!failure.reason.empty()) e.captures.push_back(make_capture("text", failure.reason));
  add(at, std::move(e));
}

void EpisodeMaker::group_status(const Place& at, const GroupStatus& status) {
  if (status.why == GroupStatus::Why::failure_detected) return;
  Episode e = by_rank(at, "echo.dump_signal");
  e.about = e.reporter;
  if (status.signalled_by >= 0) {
    e.captures.push_back(make_capture("signalled_by", std::to_string(status.signalled_by)));
  }
  add(at, std::move(e));
}

RankSet EpisodeMaker::global_ranks(const Place& at, std::int32_t group,
                                   const RankSet& group_ranks) const {
  RankSet out;
  for (std::int32_t r : group_ranks) {
    const std::int32_t global = group >= 0 ? groups_.global_rank(at.said.attempt, group, r)
                                           : (r < scene_.identity.world_size() ? r : -1);
    if (global >= 0) out.insert(global);
  }
  return out;
}

void EpisodeMaker::barrier_report(const Place& at, const BarrierReport& report) {
  const std::int32_t g = groups_.of_group_rank(at.said.attempt, at.said.rank, report.reporter);
  Episode e = by_rank(at, report.missing.empty() ? "echo.barrier_reached" : "coll.barrier_missing");
  e.communicator = Groups::id(g);
  if (report.missing.empty()) {
    e.about = e.reporter;
  } else {
    const bool resolvable = g >= 0 || report.reporter == at.said.rank || report.reporter < 0;
    if (resolvable) {
      e.about = subject_of_ranks(scene_, at.said.attempt, global_ranks(at, g, report.missing));
    }
    e.captures.push_back(make_capture("group_ranks", report.missing.str()));
  }
  if (report.timeout_ms >= 0) {
    e.captures.push_back(make_capture("timeout_ms", std::to_string(report.timeout_ms)));
  }
  add(at, std::move(e));
}

void EpisodeMaker::desync_report(const Place& at, const DesyncReport& report) {
  const std::int32_t g = groups_.of_group_rank(at.said.attempt, at.said.rank, report.group_rank);
  std::int64_t newest = -1;
  for (const DesyncReport::State& state : report.states) newest = std::max(newest, state.seq);
  RankSet lagging = report.never_joined;
  for (const DesyncReport::State& state : report.states) {
    if (state.seq < newest) lagging.merge(state.ranks);
  }
  Episode e = by_rank(at, lagging.empty() ? "echo.desync_report" : "coll.desync_behind");
  e.communicator = Groups::id(g);
  e.seq = report.seq;
  if (g >= 0 || report.group_rank == at.said.rank) {
    e.about = subject_of_ranks(scene_, at.said.attempt, global_ranks(at, g, lagging));
  }
  add(at, std::move(e));
}

void EpisodeMaker::store_wait(const Place& at, const StoreWait& wait) {
  std::int32_t g = groups_.of_name(at.said.attempt, at.said.rank, wait.pg_name, "");
  if (g < 0 && wait.pg_name.empty()) {
    g = groups_.of_group_rank(at.said.attempt, at.said.rank, wait.waiter);
  }
  Episode e = by_rank(at, "echo.store_wait");
  e.communicator = Groups::id(g);
  std::int32_t publisher = groups_.global_rank(at.said.attempt, g, wait.publisher);
  // Group ranks ascend with global ranks: where the waiter's are equal, smaller ones are as well.
  if (publisher < 0 && wait.waiter >= 0 && wait.waiter == at.said.rank &&
      wait.publisher <= wait.waiter) {
    publisher = wait.publisher;
  }
  // No word about any group, nor who speaks: most likely they are the job's own ranks.
  if (publisher < 0 && at.said.rank < 0 && groups_.of(at.said.attempt).empty() &&
      wait.publisher < scene_.identity.world_size()) {
    publisher = wait.publisher;
    e.joined_by_guess = true;
  }
  if (publisher >= 0) e.about = subject_of_rank(scene_, at.said.attempt, publisher);
  e.captures.push_back(make_capture("key", wait.key));
  e.captures.push_back(make_capture("pg", wait.pg_name));
  e.captures.push_back(make_capture("waiter", std::to_string(wait.waiter)));
  if (publisher < 0 && wait.publisher >= 0) {
    e.captures.push_back(make_capture("publisher_group_rank", std::to_string(wait.publisher)));
  }
  add(at, std::move(e));
}

void EpisodeMaker::ras_status(const Place& at, const RasStatus& status) {
  std::int32_t g = -1;
  Place place = at;
  for (std::size_t a = 0; a < scene_.attempts.count() && g < 0; ++a) {
    g = groups_.of_hash(static_cast<std::int32_t>(a), status.comm_hash);
    if (g >= 0) place.said.attempt = static_cast<std::int32_t>(a);
  }
  for (const RasStatus::Odd& odd : status.odd) {
    // A rank without a communicator has aborted; only fewer launches accuse.
    if (odd.launched < 0 || odd.launched >= status.majority_launched) continue;
    Episode e;
    e.cls = "coll.ras_behind";
    e.communicator = Groups::id(g);
    std::int32_t rank = groups_.global_rank(place.said.attempt, g, odd.rank);
    if (rank < 0) {
      if (const auto match = scene_.identity.find(-1, odd.pid, odd.node, "")) rank = match->rank;
    }
    e.about = subject_of_rank(scene_, place.said.attempt, rank);
    if (rank < 0) e.about.pid = odd.pid;
    e.captures.push_back(make_capture("op", status.op));
    e.captures.push_back(make_capture("launched", std::to_string(odd.launched)));
    e.captures.push_back(make_capture("majority", std::to_string(status.majority_launched)));
    add(place, std::move(e));
  }
}

void EpisodeMaker::stack_snapshot(const Place& at, const StackSnapshot& stack) {
  Episode e = by_rank(at, "context.stack");
  e.about = e.reporter;
  Place place = at;
  if (const auto match = scene_.identity.find(-1, stack.pid, at.said.host, "");
      match && stack.pid >= 0) {
    place.said.attempt = match->attempt;
    e.about = subject_of_rank(scene_, match->attempt, match->rank);
  }
  if (!stack.trigger.empty()) e.captures.push_back(make_capture("trigger", stack.trigger));
  if (!stack.frames.empty()) {
    const StackFrame& f = stack.frames.front();
    e.captures.push_back(
        make_capture("text", fmt::format("{}:{} in {}", f.file, f.line, f.function)));
  }
  add(place, std::move(e));
}

void EpisodeMaker::gpu_exception(const Place& at, const GpuException& exception) {
  const auto* row = std::find_if(std::begin(kGpuCodes), std::end(kGpuCodes),
                                 [&](const GpuClass& c) { return c.code == exception.code; });
  Episode e = by_rank(at, row == std::end(kGpuCodes) ? "gpu.exception_dump" : row->cls);
  e.about = e.reporter;
  Place place = at;
  if (const auto match = scene_.identity.find(-1, exception.pid, at.said.host, "")) {
    place.said.attempt = match->attempt;
    e.about = subject_of_rank(scene_, match->attempt, match->rank);
  } else if (exception.pid >= 0 && at.said.rank < 0) {
    e.about.pid = exception.pid;
  }
  if (e.about.ranks.empty() && !exception.pci.empty()) {
    e.about.pci = exception.pci;
    e.joined_by_guess = true;  // a dump does not tell the PCI domain
  }
  e.captures.push_back(make_capture("exception", exception.exception));
  e.captures.push_back(make_capture("kernel", exception.kernel));
  e.captures.push_back(make_capture("source", exception.source));
  add(place, std::move(e));
}

void EpisodeMaker::process_core(const Place& at, const ProcessCore& core) {
  const bool crash = std::find(std::begin(kCrashSignals), std::end(kCrashSignals), core.signal) !=
                     std::end(kCrashSignals);
  if (!crash) return;  // taken on demand, or of a process that somebody ended
  Episode e = by_rank(at, "app.segfault");
  e.about = e.reporter;
  Place place = at;
  if (const auto match = scene_.identity.find(-1, core.pid, at.said.host, "")) {
    place.said.attempt = match->attempt;
    e.about = subject_of_rank(scene_, match->attempt, match->rank);
  } else if (core.pid >= 0 && at.said.rank < 0) {
    e.about.pid = core.pid;
  }
  e.captures.push_back(make_capture("signal", core.signal));
  e.captures.push_back(make_capture("process", core.process));
  e.captures.push_back(make_capture("where", core.where));
  add(place, std::move(e));
}

void EpisodeMaker::cuda_error(const Place& at, const CudaError& error) {
  const std::uint32_t line = at.item->quote.line;
  for (const EventItem* event : nearby_.events(at.source, at.item->speaker, line, line)) {
    if (!tells_nothing(event->event.cls)) return;
  }
  const auto* row = std::find_if(std::begin(kCudaCodes), std::end(kCudaCodes),
                                 [&](const CudaClass& c) { return c.code == error.code; });
  Episode e = by_rank(at, row == std::end(kCudaCodes) ? "cuda.unknown" : row->cls);
  e.about = e.reporter;
  if (error.code >= 0) e.captures.push_back(make_capture("code", std::to_string(error.code)));
  e.captures.push_back(make_capture("name", error.name));
  e.captures.push_back(make_capture("text", error.text));
  add(at, std::move(e));
}

void EpisodeMaker::on_machine(const Place& at, Episode episode, std::int64_t pid,
                              const std::string& pci) {
  // The catalogue knows the line better; a folded event shows only its first and last line.
  const std::string number = episode.capture("xid");
  const std::uint32_t line = at.item->quote.line;
  for (const EventItem* event : nearby_.events(at.source, at.item->speaker, line, line)) {
    if (event->event.cls.starts_with("kernel.")) return;
  }
  for (const EventItem* event : nearby_.folded(at.source)) {
    if (event->quote.line < line && line <= event->last_quote.line &&
        event->event.cls == episode.cls && event->event.capture("xid") == number) {
      return;
    }
  }
  const std::int64_t counts = pid_that_counts(scene_.identity, episode.cls, pid);
  const Resolved resolved = subject_on_machine(scene_, at.said.host, counts, pci, at.said.time,
                                               pids_are_shared(at.source));
  Place place = at;
  if (resolved.attempt >= 0) place.said.attempt = resolved.attempt;
  episode.reporter.host = at.said.host;
  episode.about = resolved.subject;
  episode.joined_by_guess = resolved.guess || counts != pid;
  episode.in_window = resolved.of_the_job;
  add(place, std::move(episode));
}

void EpisodeMaker::kernel_fault(const Place& at, const GpuKernelFault& fault) {
  Episode e;
  e.cls = "kernel.xid_other";
  for (const XidClass& row : kXids) {
    if (fault.number >= row.first && fault.number <= row.last) e.cls = row.cls;
  }
  if (fault.kind == GpuKernelFault::Kind::sxid) e.cls = "kernel.sxid";
  e.captures.push_back(make_capture("xid", std::to_string(fault.number)));
  e.captures.push_back(make_capture("text", fault.text));
  on_machine(at, std::move(e), fault.pid, fault.pci);
}

void EpisodeMaker::oom_kill(const Place& at, const OomKill& kill) {
  Episode e;
  e.cls = "kernel.oom_kill";
  e.captures.push_back(make_capture("process", kill.process));
  e.captures.push_back(make_capture("constraint", kill.constraint));
  on_machine(at, std::move(e), kill.pid, "");
}

}  // namespace firstfault
