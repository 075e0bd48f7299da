#include "parser/lines/fold.h"

#include <algorithm>

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
  std::vector<std::pair<std::size_t, std::size_t>> open_ops;
  std::map<std::string, std::size_t> folded;
  std::map<std::uint64_t, std::pair<std::size_t, std::int32_t>> comms;  // pointer -> op stream
  bool open = false;
};

struct Fold::Sink : FactSink {
  Sink(Fold& f, Stream& s, const LineView& v) : fold(f), stream(s), view(v) {}
  void add(Record record) override { put(view, std::move(record)); }
  void add_from(const LineView& first, Record record) override { put(first, std::move(record)); }
  void put(const LineView& at, Record record) {
    if (const auto* init = std::get_if<CommInit>(&record); init != nullptr && !init->complete) {
      stream.comms.erase(init->comm);
      new_op_stream(init->comm, init->nranks);
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
  std::size_t new_op_stream(std::uint64_t comm, std::int32_t nranks) {
    OpStream s;
    s.speaker = stream.speaker;
    s.comm = comm;
    s.nranks = nranks;
    for (const OpStream& other : fold.out_.op_streams) {
      if (other.speaker == s.speaker && other.comm == comm) s.incarnation = other.incarnation + 1;
    }
    fold.out_.op_streams.push_back(std::move(s));
    stream.comms[comm] = {fold.out_.op_streams.size() - 1, nranks};
    return fold.out_.op_streams.size() - 1;
  }
  void add_operation(std::uint64_t comm, std::int32_t nranks, OpRow row) override {
    auto at = stream.comms.find(comm);
    const std::size_t index =
        at == stream.comms.end() ? new_op_stream(comm, nranks) : at->second.first;
    row.offset = view.offset;
    row.length = static_cast<std::uint32_t>(view.whole.size());
    row.line = view.number;
    row.stamp = view.stamp;
    OpWindow& ops = fold.out_.op_streams[index].ops;
    ops.push(row);
    if (view.stamp.grade != StampGrade::printed) stream.open_ops.push_back({index, ops.total()});
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

Fold::Stream& Fold::stream_of(const PrefixFacts& facts) {
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
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      Speaker& known = out_.speakers[streams_[i]->speaker];
      const bool same_label = (said.local_rank >= 0 && known.local_rank == said.local_rank) ||
                              (said.global_rank >= 0 && known.global_rank == said.global_rank) ||
                              (said.task >= 0 && known.task == said.task) ||
                              (said.pid >= 0 && known.pid == said.pid) ||
                              (streams_.size() == 1 && out_.info.path_rank >= 0);
      if (same_label && compatible(known, said)) {
        absorb(known, said);
        current_ = i;
        return *streams_[i];
      }
    }
    if (streams_.size() == 1 && by_label_.count("plain") != 0 && out_.info.path_rank >= 0) {
      Speaker& known = out_.speakers[streams_[0]->speaker];
      if (compatible(known, said)) {
        absorb(known, said);
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

void Fold::piece(Piece& p, std::size_t begin, std::span<const FoldHit> hits) {
  Stream& stream = stream_of(p.facts);
  p.view.speaker = stream.speaker;
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
    for (const auto& [index, total] : stream.open_ops) {
      OpWindow& ops = out_.op_streams[index].ops;
      if (total >= ops.first_index()) bound(ops.rows()[total - ops.first_index()].stamp);
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
  matcher_.match(p.view.text, out_.info.kind, held_, on_event);
  if (!known && alarm) ++out_.unrecognised_errors;
  if (!trim(p.view.whole).empty()) {
    bool lossy = false;
    out_.last_line = to_utf8(p.view.whole, kQuoteBytes, &lossy);
  }
}

SourceFacts Fold::finish(std::uint64_t bytes, std::uint64_t lines, bool ends_in_mid_line) {
  for (auto& stream : streams_) {
    LineView end;
    end.number = number_;
    Sink sink(*this, *stream, end);
    for (auto& parser : stream->parsers) parser->finish(sink);
  }
  out_.info.bytes = bytes;
  out_.info.lines = lines;
  out_.ends_in_mid_line = ends_in_mid_line;
  return std::move(out_);
}

}  // namespace firstfault
