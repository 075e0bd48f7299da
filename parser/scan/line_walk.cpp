#include "parser/scan/line_walk.h"

#include <algorithm>

namespace firstfault {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kHeadBytes = 256;  // of a line's first part: enough for a launcher's label

}  // namespace

LineWalk::LineWalk(SourceInfo info, const Vocabulary& vocabulary, const LineMatcher& matcher)
    : vocabulary_(vocabulary), fold_(std::move(info), matcher), scratch_(vocabulary.scanner()) {}

std::uint32_t LineWalk::number_of(std::size_t position) {
  // Lines in front of what is counted (context) are few: count back.
  if (position < counted_) {
    const std::uint64_t back = count_newlines(region_.bytes.substr(position, counted_ - position));
    return static_cast<std::uint32_t>(newlines_ - back + 1);
  }
  newlines_ += count_newlines(region_.bytes.substr(counted_, position - counted_));
  counted_ = position;
  return static_cast<std::uint32_t>(newlines_ + 1);
}

// What the physical line of the part at `begin` begins with, "" when that part is its first. Parts
// come in order, so that no byte is looked at twice.
std::string_view LineWalk::line_head(std::size_t begin) {
  const std::string_view all = region_.bytes;
  if (begin == 0 || all[begin - 1] == '\n') return {};
  if (begin < region_.begin) return open_head_;
  if (begin > headed_) {
    const std::size_t newline = all.substr(headed_, begin - headed_).rfind('\n');
    if (newline != kNone) {
      head_from_ = headed_ + newline + 1;
      line_head_ = {};
    }
    headed_ = begin;
  }
  if (!line_head_.empty()) return line_head_;
  while (head_from_ < begin && all[head_from_] == '\r') ++head_from_;
  if (head_from_ < begin) {
    line_head_ =
        all.substr(head_from_, next_end(all, head_from_) - head_from_).substr(0, kHeadBytes);
  }
  return line_head_;
}

LineWalk::Range LineWalk::part_at(std::size_t begin, std::size_t from) const {
  const std::size_t end = next_end(region_.bytes, from);
  return {begin, end == kNone ? region_.bytes.size() : end};
}

LineWalk::Range LineWalk::part_of(std::size_t to) const {
  const std::size_t end = last_end(region_.bytes, pos_, to);
  return part_at(end == kNone ? pos_ : end + 1, to);
}

LineWalk::Hits LineWalk::hits_in(Range part, Hits* rest) const {
  const auto behind = [&](std::size_t position) {
    std::size_t n = 0;
    while (n < rest->size() && hits_base_ + (*rest)[n].end <= position) ++n;
    return n;
  };
  *rest = rest->subspan(behind(part.begin));
  const std::size_t n = behind(part.end);
  const Hits inside = rest->first(n);
  *rest = rest->subspan(n);
  return inside;
}

LinePart LineWalk::line_part(Range part) {
  LinePart line;
  line.text = region_.bytes.substr(part.begin, part.end - part.begin);
  line.offset = region_.offset + part.begin;
  line.number = number_of(part.begin);
  line.head = line_head(part.begin);
  return line;
}

void LineWalk::region(const Region& region) {
  region_ = region;
  pos_ = counted_ = headed_ = head_from_ = region.begin;
  line_head_ = open_head_;
  operation_bytes_ = 0;
  if (mostly_operations_) take_operations();
  if (pos_ < region.bytes.size()) scan(region.bytes.size());
  mostly_operations_ = operation_bytes_ * 4 > region.bytes.size() - region.begin;
  number_of(region.bytes.size());
  // The physical line that goes on in the next region, and what may turn out to be the tail.
  open_head_ = std::string(line_head(region.bytes.size()));
  const std::size_t keep = std::min(region.bytes.size(), Region::kContext + 1);
  if (region.cut) {
    tail_.clear();
  } else {
    tail_.assign(region.bytes.substr(region.bytes.size() - keep));
    tail_offset_ = region.offset + region.bytes.size() - keep;
  }
}

void LineWalk::scan(std::size_t to) {
  vocabulary_.scanner().scan(region_.bytes.substr(pos_, to - pos_), scratch_, &hits_);
  walk(hits_, pos_, to);
}

bool LineWalk::take_operation() {
  const std::string_view rest = region_.bytes.substr(pos_);
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos || !head_.begins(rest) || end > Region::kLongest) return false;
  if (pos_ > 0 && region_.bytes[pos_ - 1] == '\r') return false;
  CollLine operation;
  if (!parse_coll_line(rest.substr(head_.size(), end - head_.size()), &operation)) return false;
  LinePart line;
  line.text = rest.substr(0, end);
  line.offset = region_.offset + pos_;
  line.number = number_of(pos_);
  stamps_.arrive(line.offset - shown_to_);
  pieces_.resize(1);
  head_.take(line, &pieces_.front());
  fold_.operation(pieces_.front(), operation);
  ++shown_;
  shown_to_ = line.offset + end + 1;
  stamps_.pass();
  stamps_.look_ahead(StampSearch::kGlance);
  operation_bytes_ += end + 1;
  pos_ += end + 1;
  return true;
}

void LineWalk::take_operations() {
  const std::size_t size = region_.bytes.size();
  while (pos_ < size && !fold_.open()) {
    const std::size_t first = pos_;
    std::size_t last = pos_;
    while (pos_ < size && take_operation()) last = pos_;
    if (last != first) {
      const std::size_t line = region_.bytes.substr(0, last - 1).rfind('\n');
      const std::size_t begin = line == kNone || line + 1 < first ? first : line + 1;
      fold_.last_line(region_.bytes.substr(begin, last - 1 - begin));
    }
    // What stands in between, up to the next line that may be one.
    std::size_t to = pos_;
    while (to < size) {
      const std::size_t newline = region_.bytes.find('\n', to);
      to = newline == kNone ? size : newline + 1;
      const std::string_view next = region_.bytes.substr(to, head_.size() + 32);
      if (head_.begins(next) && next.find(": opCount ") != kNone) break;
    }
    if (to > pos_) scan(to);
  }
}

void LineWalk::strip(const LinePart& line, std::vector<Piece>* pieces) {
  if (head_.strip(line, pieces)) return;
  pieces->clear();
  strip_prefixes(line.text, line.offset, line.number, SourceKind::unknown, pieces);
  head_.learn(line, *pieces);
}

void LineWalk::walk(Hits hits, std::size_t base, std::size_t to) {
  hits_base_ = base;
  while (pos_ < to) {
    Range part{};
    if (shown_ < kHead || fold_.open() || stamps_.wants_next()) {
      part = part_at(pos_, pos_);
      const Hits inside = hits_in(part, &hits);
      show(part, inside);
    } else {
      hits_in({pos_, pos_}, &hits);
      if (hits.empty()) break;
      part = part_of(hits_base_ + hits.front().end);
      stamps_.arrive(region_.offset + part.begin - shown_to_);
      const Hits inside = hits_in(part, &hits);
      show(part, inside);
    }
    pos_ = part.end + 1;
  }
  pos_ = to;
}

void LineWalk::show(Range part, Hits hits) {
  const bool ends_line = part.end < region_.bytes.size() && region_.bytes[part.end] == '\n';
  if (part.begin == part.end && !ends_line) return;
  const LinePart line = line_part(part);
  // An empty part in front of a '\r', or behind one, is no line of its own.
  if (line.text.empty() && !line.head.empty()) return;
  strip(line, &pieces_);
  bool before = false, search = false, glance = false;
  fold_hits_.clear();
  for (const LiteralScanner::Hit& hit : hits) {
    const Vocabulary::Meaning& m = vocabulary_.meaning(hit.literal);
    fold_hits_.push_back({hits_base_ + hit.end - part.begin, &m});
    before |= m.before;
    glance |= m.dense;
    if (m.dense) operation_bytes_ += line.text.size();
    search |= !m.timeless && !m.dense && (m.parsers != 0 || m.anchor >= 0);
  }
  bool stamped = false;
  for (const Piece& piece : pieces_) stamped |= piece.facts.stamp.clock != Clock::none;
  search = search && !stamped && shown_ >= kHead;
  if (before || (search && stamps_.hopeful())) show_earlier(part.begin, before, search);
  fold_.part(line, pieces_, fold_hits_);
  ++shown_;
  shown_to_ = region_.offset + part.end + 1;
  if (stamped) {
    stamps_.found();
  } else {
    stamps_.pass();
    if (search) stamps_.look_ahead(StampSearch::kReach);
    if (glance) stamps_.look_ahead(StampSearch::kGlance);
  }
}

bool LineWalk::line_before(std::size_t begin, std::size_t limit, Range* line) const {
  const std::string_view all = region_.bytes;
  if (begin == 0 || all[begin - 1] != '\n') return false;
  std::size_t end = begin - 1;
  const bool carriage = end > 0 && all[end - 1] == '\r';
  while (end > 0 && all[end - 1] == '\r') --end;
  const std::size_t newline = last_end(all, 0, end);
  if (newline != kNone && all[newline] == '\r') return false;
  if (carriage && end == (newline == kNone ? 0 : newline + 1)) return false;
  if (newline == kNone && region_.offset != 0) return false;
  line->begin = newline == kNone ? 0 : newline + 1;
  line->end = end;
  return limit - line->begin <= Region::kContext && region_.offset + line->begin >= shown_to_;
}

void LineWalk::show_earlier(std::size_t begin, bool one, bool stamp) {
  Range lines[StampSearch::kReach];
  int wanted = 0;
  bool found = false;
  for (int n = 0; n < StampSearch::kReach && (stamp || n < 1); ++n) {
    if (!line_before(n == 0 ? begin : lines[n - 1].begin, begin, &lines[n])) break;
    if (n == 0 && one) wanted = 1;
    if (!stamp) continue;
    strip(line_part(lines[n]), &earlier_pieces_);
    for (const Piece& piece : earlier_pieces_) found |= piece.facts.stamp.clock != Clock::none;
    if (!found) continue;
    wanted = n + 1;
    break;
  }
  if (stamp) found ? stamps_.found() : stamps_.missed();
  for (int n = wanted - 1; n >= 0; --n) {
    const LinePart line = line_part(lines[n]);
    strip(line, &earlier_pieces_);
    fold_.part(line, earlier_pieces_, {});
    ++shown_;
    shown_to_ = line.offset + line.text.size() + 1;
  }
}

SourceFacts LineWalk::finish(std::uint64_t bytes, bool ends_in_mid_line) {
  const std::uint64_t lines = newlines_ + (ends_in_mid_line ? 1 : 0);
  if (!tail_.empty()) {
    Region tail;
    tail.bytes = tail_;
    tail.begin = tail_.size();
    tail.offset = tail_offset_;
    region_ = tail;
    counted_ = pos_ = tail_.size();
    Range last[StampSearch::kReach];
    int n = 0;
    std::size_t begin = tail_.size();
    if (!ends_part(tail_.back())) {
      const std::size_t end = last_end(tail_, 0, tail_.size());
      const bool found = end != kNone || tail_offset_ == 0;
      begin = end == kNone ? 0 : end + 1;
      if (found && tail_offset_ + begin >= shown_to_) last[n++] = {begin, tail_.size()};
    }
    while (n < StampSearch::kReach && line_before(begin, tail_.size(), &last[n])) {
      begin = last[n++].begin;
    }
    while (n > 0) show(last[--n], {});
  }
  return fold_.finish(bytes, lines, ends_in_mid_line);
}

}  // namespace firstfault
