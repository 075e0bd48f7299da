// Facts made by hand, in a few words a line.
//
//   Log& log = job.log("/job/ranks/3/stdout.log", {.path_rank = 3});
//   log.voice({.host = "node-b", .pid = 30});
//   log.init(0xa, 3, 4, 0x77).coll(0xa, 4, OpKind::all_reduce, 1024);
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "model/facts.h"
#include "model/job.h"

namespace firstfault::test {

inline Stamp wall_at(double seconds, double width_s = 0) {
  Stamp s;
  s.clock = Clock::wall;
  s.grade = StampGrade::printed;
  s.time.lo = static_cast<std::int64_t>(seconds * 1e9);
  s.time.hi = static_cast<std::int64_t>((seconds + width_s) * 1e9);
  return s;
}

inline Stamp boot_at(double seconds) {
  Stamp s = wall_at(seconds);
  s.clock = Clock::boot;
  return s;
}

// Speaker with initialisers for every member, so that a test names only what matters.
struct Who {
  std::string host = {};
  std::int64_t pid = -1;
  std::int32_t global_rank = -1, local_rank = -1, task = -1, path_rank = -1, attempt = -1;
  bool agent = false;
};

struct Place {
  SourceKind kind = SourceKind::rank_log;
  std::int32_t path_rank = -1, attempt = -1;
};

class Log {
 public:
  Log(std::string path, Place place) {
    facts_.info.path = std::move(path);
    facts_.info.kind = place.kind;
    facts_.info.path_rank = place.path_rank;
    facts_.info.attempt = place.attempt;
    facts_.info.content_hash = 1;
  }

  // The speaker of what follows.
  Log& voice(Who who) {
    Speaker s;
    s.host = std::move(who.host);
    s.pid = who.pid;
    s.global_rank = who.global_rank;
    s.local_rank = who.local_rank;
    s.task = who.task;
    s.path_rank = who.path_rank;
    s.attempt = who.attempt;
    s.agent = who.agent;
    facts_.speakers.push_back(std::move(s));
    return *this;
  }
  Log& at(Stamp stamp) {
    stamp_ = stamp;
    if (facts_.first_stamp.clock == Clock::none) facts_.first_stamp = stamp;
    facts_.last_stamp = stamp;
    return *this;
  }
  Log& says(Record record, std::string text = "line") {
    RecordItem item;
    place(&item, std::move(text));
    item.record = std::move(record);
    facts_.records.push_back(std::move(item));
    return *this;
  }
  Log& event(std::string cls, std::vector<Capture> captures = {}, std::string text = "line",
             std::uint64_t count = 1) {
    EventItem item;
    place(&item, std::move(text));
    item.count = count;
    item.event.cls = std::move(cls);
    item.event.signature = "rule." + item.event.cls;
    item.event.captures = std::move(captures);
    facts_.events.push_back(std::move(item));
    return *this;
  }
  Log& init(std::uint64_t comm, std::int32_t rank, std::int32_t nranks, std::uint64_t hash,
            std::string pci = "0000:17:00.0") {
    CommInit start;
    start.comm = comm;
    start.rank = rank;
    start.nranks = nranks;
    start.comm_hash = hash;
    start.pci = std::move(pci);
    start.cuda_device = 0;
    says(start);
    start.complete = true;
    says(start);
    ++incarnation_;
    return *this;
  }
  Log& coll(std::uint64_t comm, std::int32_t nranks, OpKind kind, std::uint64_t count,
            std::int32_t datatype = 7, std::int64_t reduction = 0) {
    OpStream* stream = nullptr;
    for (OpStream& s : facts_.op_streams) {
      if (s.comm == comm && s.incarnation == incarnation_ && s.speaker == last_voice()) stream = &s;
    }
    if (stream == nullptr) {
      OpStream fresh;
      fresh.speaker = last_voice();
      fresh.comm = comm;
      fresh.nranks = nranks;
      fresh.incarnation = incarnation_;
      facts_.op_streams.push_back(fresh);
      stream = &facts_.op_streams.back();
    }
    Item item;
    place(&item, "");
    OpRow row;
    row.kind = kind;
    row.count = count;
    row.datatype = static_cast<std::int8_t>(datatype);
    row.reduction = reduction;
    row.offset = item.quote.offset;
    row.line = item.quote.line;
    row.length = 100;
    row.stamp = stamp_;
    stream->ops.push(row);
    return *this;
  }
  FrDump& dump() {
    if (facts_.flight_recorder.empty()) {
      facts_.flight_recorder.emplace_back();
      facts_.flight_recorder.back().strings = {""};
      facts_.flight_recorder.back().stacks.resize(1);
    }
    return facts_.flight_recorder.back();
  }
  SourceFacts& facts() { return facts_; }

 private:
  std::uint32_t last_voice() const {
    return facts_.speakers.empty() ? 0 : static_cast<std::uint32_t>(facts_.speakers.size()) - 1;
  }
  void place(Item* item, std::string text) {
    ++line_;
    item->speaker = last_voice();
    item->first = item->last = stamp_;
    item->quote.line = line_;
    item->quote.offset = line_ * 100;
    item->quote.length = 99;
    item->quote.text = std::move(text);
    item->last_quote = item->quote;
  }

  SourceFacts facts_;
  Stamp stamp_;
  std::uint32_t line_ = 0;
  std::uint32_t incarnation_ = 0;
};

class FactsBuilder {
 public:
  Log& log(std::string path, Place place = {}) {
    logs_.emplace_back(std::move(path), place);
    return logs_.back();
  }
  Facts facts() {
    Facts all;
    all.roots = {"/job"};
    for (Log& log : logs_) {
      Facts one;
      one.sources.push_back(log.facts());
      all.merge(std::move(one));
    }
    return all;
  }
  // The same in the opposite order of reading.
  Facts reversed() {
    Facts all;
    for (auto log = logs_.rbegin(); log != logs_.rend(); ++log) {
      Facts one;
      one.sources.push_back(log->facts());
      all.merge(std::move(one));
    }
    all.roots = {"/job"};
    return all;
  }

 private:
  std::deque<Log> logs_;
};

// Appends an operation to a dump; creates group `name` with `members` if it is new.
struct Op {
  std::int64_t seq = 0;
  OpKind kind = OpKind::all_reduce;
  std::string name = "nccl:all_reduce";
  std::int64_t numel = 1024;
  std::string dtype = "Float";
  double created_s = 0;
  double completed_s = 0;  // 0: still scheduled
  bool retired = false;
  std::int64_t timeout_ms = 10'000;
};
inline void add_op(FrDump& dump, const std::string& group, const std::string& desc,
                   const RankSet& members, const Op& op) {
  std::uint32_t g = 0;
  while (g < dump.groups.size() && dump.groups[g].name != group) ++g;
  if (g == dump.groups.size()) {
    FrGroup fresh;
    fresh.name = group;
    fresh.desc = desc;
    fresh.members = members;
    dump.groups.push_back(fresh);
  }
  auto text = [&](const std::string& s) {
    for (std::uint32_t i = 0; i < dump.strings.size(); ++i) {
      if (dump.strings[i] == s) return i;
    }
    dump.strings.push_back(s);
    return static_cast<std::uint32_t>(dump.strings.size() - 1);
  };
  FrEntry e;
  e.group = g;
  e.collective_seq = op.seq;
  e.kind = op.kind;
  e.name = text(op.name);
  e.in_dtype = e.out_dtype = text(op.dtype);
  e.in_numel = e.out_numel = op.numel;
  e.created_ns = static_cast<std::int64_t>(op.created_s * 1e9);
  e.timeout_ms = op.timeout_ms;
  e.state = op.completed_s > 0 ? FrState::completed : FrState::scheduled;
  e.discovered_completed_ns = static_cast<std::int64_t>(op.completed_s * 1e9);
  e.retired = op.retired;
  e.offset = dump.entries.size() * 200;
  e.length = 200;
  dump.entries.push_back(e);
  dump.entries_total = dump.entries.size();
  dump.measure_times();
}

inline const Episode* find_episode(const Attempt& attempt, std::string_view cls) {
  for (const Episode& e : attempt.episodes) {
    if (e.cls == cls) return &e;
  }
  return nullptr;
}

inline const Slot* find_slot(const Communicator& c, std::int64_t seq) {
  for (const Slot& s : c.slots) {
    if (s.seq == seq) return &s;
  }
  return nullptr;
}

}  // namespace firstfault::test
