#include "parser/lines/fold.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "parser/line_parsers.h"

namespace firstfault {

namespace {

// Two speakers may be one process when nothing they say contradicts.
template <typename T>
bool fits(const T& a, const T& b, const T& unknown) {
  return a == unknown || b == unknown || a == b;
}

bool compatible(const Speaker& a, const Speaker& b) {
  return fits(a.host, b.host, std::string()) && fits<std::int64_t>(a.pid, b.pid, -1) &&
         fits(a.global_rank, b.global_rank, -1) && fits(a.local_rank, b.local_rank, -1) &&
         fits(a.task, b.task, -1) && (a.agent == b.agent || (a.pid < 0 && b.pid < 0));
}

void absorb(Speaker& into, const Speaker& from) {
  if (into.host.empty()) into.host = from.host;
  if (into.pid < 0) into.pid = from.pid;
  if (into.global_rank < 0) into.global_rank = from.global_rank;
  if (into.local_rank < 0) into.local_rank = from.local_rank;
  if (into.task < 0) into.task = from.task;
  into.agent |= from.agent;
}

// What identifies a fact that a process repeats (for every communicator): "" for all others.
std::string standing_fact(const Record& record) {
  const auto key = [](char kind, const std::string& a, const std::string& b) {
    std::string out(1, kind);
    out += a;
    out += '\n';
    out += b;
    return out;
  };
  if (const auto* s = std::get_if<Setting>(&record)) return key('s', s->name, s->value);
  if (const auto* v = std::get_if<Version>(&record)) return key('v', v->component, v->value);
  if (const auto* n = std::get_if<NetInterface>(&record)) return key('n', n->interface, n->address);
  if (const auto* t = std::get_if<TreePlace>(&record)) return key('t', std::to_string(t->rank), "");
  return {};
}

Quote quote_of(const LineView& v) {
  Quote q;
  q.offset = v.offset;
  q.length = static_cast<std::uint32_t>(v.whole.size());
  q.line = v.number;
  q.text = to_utf8(v.whole, kQuoteBytes, &q.lossy);
  return q;
}

}  // namespace

struct Fold::Stream {
  std::uint32_t speaker = 0;
  std::vector<std::unique_ptr<LineParser>> parsers = make_line_parsers();
  Stamp last;                                          // of this stream
  std::vector<std::size_t> open_records, open_events;  // not yet bounded above
  struct OpenOps {
    std::size_t stream;   // in SourceFacts::op_streams
    std::uint64_t first;  // 1-based index of the first operation not yet bounded above
  };
  std::vector<OpenOps> open_ops;
  std::map<std::string, std::size_t> folded;
  std::unordered_map<std::string, std::size_t> standing;  // repeated facts -> record
  std::unordered_map<std::uint64_t, std::size_t> comms;   // pointer -> op stream
  std::unordered_map<std::uint64_t, std::size_t>
      inits;  // communicator pointer -> record not yet complete
  std::unordered_map<std::uint64_t, std::uint32_t>
      incarnations;  // of a communicator pointer so far
  bool open = false;
};

struct Fold::Sink : FactSink {
  Sink(Fold& f, Stream& s, const LineView& v) : fold(f), stream(s), view(v) {}
  void add(Record record) override { put(view, std::move(record)); }
  void add_from(const LineView& first, Record record) override { put(first, std::move(record)); }
  void put(const LineView& at, Record record) {
    const auto* init = std::get_if<CommInit>(&record);
    if (init != nullptr && init->complete && completes(*init, at)) return;
    if (init != nullptr && !init->complete) {
      stream.inits[init->comm] = fold.out_.records.size();
      // Operations from here on belong to a new communicator at this address.
      const auto [seen, fresh] = stream.incarnations.emplace(init->comm, 0);
      if (!fresh) ++seen->second;
      stream.comms.erase(init->comm);
    }
    if (const std::string key = standing_fact(record); !key.empty()) {
      const auto [same, fresh] = stream.standing.emplace(key, fold.out_.records.size());
      if (!fresh) {
        ++fold.out_.records[same->second].count;
        return;
      }
    }
    RecordItem item;
    item.speaker = stream.speaker;
    item.first = item.last = at.stamp;
    item.quote = quote_of(at);
    item.record = std::move(record);
    fold.out_.records.push_back(std::move(item));
    if (at.stamp.grade != StampGrade::printed)
      stream.open_records.push_back(fold.out_.records.size() - 1);
  }
  // Init COMPLETE of a START seen before: one record.
  bool completes(const CommInit& init, const LineView& at) {
    const auto begun = stream.inits.find(init.comm);
    if (begun == stream.inits.end()) return false;
    RecordItem& item = fold.out_.records[begun->second];
    auto& start = std::get<CommInit>(item.record);
    if (start.rank != init.rank || start.nranks != init.nranks ||
        (start.comm_hash && init.comm_hash && start.comm_hash != init.comm_hash))
      return false;
    start.complete = true;
    if (!start.comm_hash) start.comm_hash = init.comm_hash;
    item.last = at.stamp;
    item.count = 2;
    stream.inits.erase(begun);
    return true;
  }
  std::size_t new_op_stream(std::uint64_t comm, std::int32_t nranks) {
    OpStream s;
    s.speaker = stream.speaker;
    s.comm = comm;
    s.nranks = nranks;
    const auto seen = stream.incarnations.find(comm);
    s.incarnation = seen == stream.incarnations.end() ? 0 : seen->second;
    fold.out_.op_streams.push_back(std::move(s));
    stream.comms[comm] = fold.out_.op_streams.size() - 1;
    return fold.out_.op_streams.size() - 1;
  }
  void add_operation(std::uint64_t comm, std::int32_t nranks, OpRow row) override {
    auto at = stream.comms.find(comm);
    const std::size_t index = at == stream.comms.end() ? new_op_stream(comm, nranks) : at->second;
    row.offset = view.offset;
    row.length = static_cast<std::uint32_t>(view.whole.size());
    row.line = view.number;
    row.stamp = view.stamp;
    OpWindow& ops = fold.out_.op_streams[index].ops;
    ops.push(row);
    if (view.stamp.grade == StampGrade::printed) return;
    const auto same = [&](const Stream::OpenOps& open) { return open.stream == index; };
    if (std::none_of(stream.open_ops.begin(), stream.open_ops.end(), same))
      stream.open_ops.push_back({index, ops.total()});
  }
  const Speaker& speaker() const override { return fold.out_.speakers[stream.speaker]; }

  Fold& fold;
  Stream& stream;
  const LineView& view;
};

Fold::Fold(SourceInfo info, const LineMatcher& matcher) : matcher_(matcher) {
  out_.info = std::move(info);
}
Fold::~Fold() = default;

// Asked twice in a row, the answer is the same.
Fold::Stream& Fold::stream_of(const PrefixFacts& facts) {
  if (last_stream_ == nullptr || last_said_.has_label != facts.has_label ||
      last_said_.speaker != facts.speaker) {
    last_stream_ = &find_stream(facts);
    last_said_ = facts;
  }
  return *last_stream_;
}

Fold::Stream& Fold::find_stream(const PrefixFacts& facts) {
  Speaker said = facts.speaker;
  const bool says = facts.has_label || said.pid >= 0 || said.agent;
  if (!says) {
    if (streams_.empty()) {
      // first line
    } else if (by_label_.empty() || streams_.size() == 1) {
      return *streams_[current_];
    } else {
      // An unlabelled line among labelled ones: its own stream (launcher text), unless one speaker
      // only.
      auto at = by_label_.find("plain");
      if (at != by_label_.end()) return *streams_[at->second];
      if (by_label_.size() == 1) return *streams_[current_];
    }
  }
  if (says) {
    static const std::vector<std::uint32_t> kOnly = {0};
    const bool only = streams_.size() == 1 && out_.info.path_rank >= 0;
    for (const std::uint32_t i : only ? kOnly : index_.sharing(said)) {
      Speaker& known = out_.speakers[streams_[i]->speaker];
      if (!compatible(known, said)) continue;
      absorb(known, said);
      index_.add(i, known);
      current_ = i;
      return *streams_[i];
    }
    if (streams_.size() == 1 && by_label_.count("plain") != 0 && out_.info.path_rank >= 0) {
      Speaker& known = out_.speakers[streams_[0]->speaker];
      if (compatible(known, said)) {
        absorb(known, said);
        index_.add(0, known);
        return *streams_[0];
      }
    }
  }
  auto stream = std::make_unique<Stream>();
  stream->speaker = static_cast<std::uint32_t>(out_.speakers.size());
  said.path_rank = out_.info.path_rank;
  said.attempt = out_.info.attempt;
  out_.speakers.push_back(said);
  streams_.push_back(std::move(stream));
  current_ = streams_.size() - 1;
  index_.add(static_cast<std::uint32_t>(current_), said);
  by_label_.emplace(says ? "s" + std::to_string(current_) : "plain", current_);
  return *streams_.back();
}

void Fold::part(const LinePart& part, std::vector<Piece>& pieces, std::span<const FoldHit> hits) {
  number_ = part.number;
  for (Piece& p : pieces) {
    // What a progress bar redraws has its launcher's label in front of the first part only.
    Speaker& said = p.facts.speaker;
    if (!part.head.empty() && said.task < 0 && said.local_rank < 0) {
      if (line_label_number_ != part.number) {
        label_pieces_.clear();
        strip_prefixes(part.head, part.offset, part.number, out_.info.kind, &label_pieces_);
        line_label_ = label_pieces_.empty() ? PrefixFacts{} : label_pieces_.front().facts;
        line_label_number_ = part.number;
      }
      said.task = line_label_.speaker.task;
      said.local_rank = line_label_.speaker.local_rank;
      p.facts.has_label = p.facts.has_label || said.task >= 0 || said.local_rank >= 0;
    }
    piece(p, static_cast<std::size_t>(p.view.text.data() - part.text.data()), hits);
  }
}

// The line's own time bounds what was said without one; else the last one bounds the line.
void Fold::set_stamp(Stream& stream, Piece& p) {
  if (p.facts.stamp.clock != Clock::none) {
    const Stamp& s = p.facts.stamp;
    const auto bound = [&](Stamp& open) {
      if (open.clock == Clock::none || (open.clock == s.clock && open.yearless == s.yearless)) {
        open.clock = s.clock;
        open.yearless = s.yearless;
        open.grade = StampGrade::neighbours;
        open.time.hi = std::max(s.time.hi, open.time.lo);
      }
    };
    for (const std::size_t i : stream.open_records)
      bound(out_.records[i].first), out_.records[i].last = out_.records[i].first;
    for (const std::size_t i : stream.open_events)
      bound(out_.events[i].first), bound(out_.events[i].last);
    for (const Stream::OpenOps& open : stream.open_ops) {
      OpWindow& ops = out_.op_streams[open.stream].ops;
      // What was enqueued since the last time that was told shares one stamp.
      const std::uint64_t first = std::max(open.first, ops.first_index());
      bound(ops.rows()[first - ops.first_index()].stamp);
    }
    stream.open_records.clear();
    stream.open_events.clear();
    stream.open_ops.clear();
    stream.last = s;
    if (out_.first_stamp.clock == Clock::none) out_.first_stamp = s;
    out_.last_stamp = s;
  } else if (stream.last.clock != Clock::none) {
    p.view.stamp = stream.last;
    p.view.stamp.grade = StampGrade::neighbours;
    p.view.stamp.monotonic_fraction_ns = -1;
    p.view.stamp.time = Interval::between(stream.last.time.lo, kTimeMax);
  }
}

void Fold::operation(Piece& piece, const CollLine& line) {
  number_ = piece.view.number;
  Stream& stream = stream_of(piece.facts);
  piece.view.speaker = stream.speaker;
  set_stamp(stream, piece);
  Sink(*this, stream, piece.view).add_operation(line.comm, line.nranks, line.row);
}

void Fold::last_line(std::string_view whole) {
  if (!trim(whole).empty()) last_line_.assign(whole.substr(0, kQuoteBytes));
}

void Fold::piece(Piece& p, std::size_t begin, std::span<const FoldHit> hits) {
  Stream& stream = stream_of(p.facts);
  p.view.speaker = stream.speaker;
  set_stamp(stream, p);
  Sink sink(*this, stream, p.view);
  std::uint32_t wanted = 0;
  bool alarm = false, dense = false;
  held_.clear();
  for (const FoldHit& hit : hits) {
    const Vocabulary::Meaning& m = *hit.meaning;
    if (hit.end < begin + m.length || hit.end > begin + p.view.text.size()) continue;
    wanted |= m.parsers;
    alarm |= m.alarm;
    dense |= m.dense || m.timeless;
    if (m.anchor >= 0 && hit.end - begin <= LineMatcher::kMatchedBytes)
      held_.push_back(static_cast<std::uint32_t>(m.anchor));
  }
  std::sort(held_.begin(), held_.end());
  held_.erase(std::unique(held_.begin(), held_.end()), held_.end());
  bool known = false, open = false;
  for (std::size_t i = 0; i < stream.parsers.size(); ++i) {
    LineParser& parser = *stream.parsers[i];
    // A dense fact concerns its own parser only.
    if (!dense || (wanted >> i & 1) != 0 || parser.open()) known |= parser.feed(p.view, sink);
    open |= parser.open();
  }
  if (open != stream.open) {
    open ? ++open_streams_ : --open_streams_;
    stream.open = open;
  }
  const auto on_event = [&](Event event, std::size_t, std::size_t) {
    known = true;
    std::string key = event.cls + '|' + event.signature;
    for (const Capture& c : event.captures) key += '|' + c.name + '=' + c.value;
    auto [at, fresh] = stream.folded.emplace(key, out_.events.size());
    if (fresh) {
      EventItem item;
      item.speaker = stream.speaker;
      item.first = item.last = p.view.stamp;
      item.quote = quote_of(p.view);
      item.event = std::move(event);
      out_.events.push_back(std::move(item));
      if (p.view.stamp.grade != StampGrade::printed)
        stream.open_events.push_back(out_.events.size() - 1);
    } else {
      EventItem& item = out_.events[at->second];
      ++item.count;
      item.last = p.view.stamp;
      item.last_quote = quote_of(p.view);
    }
  };
  if (!(dense && known)) matcher_.match(p.view.text, out_.info.kind, held_, on_event);
  if (!known && alarm) ++out_.unrecognised_errors;
  last_line(p.view.whole);
}

SourceFacts Fold::finish(std::uint64_t bytes, std::uint64_t lines, bool ends_in_mid_line) {
  for (auto& stream : streams_) {
    LineView end;
    end.number = number_;
    Sink sink(*this, *stream, end);
    for (auto& parser : stream->parsers) parser->finish(sink);
  }
  bool lossy = false;
  out_.last_line = to_utf8(last_line_, kQuoteBytes, &lossy);
  out_.info.bytes = bytes;
  out_.info.lines = lines;
  out_.ends_in_mid_line = ends_in_mid_line;
  return std::move(out_);
}

}  // namespace firstfault
