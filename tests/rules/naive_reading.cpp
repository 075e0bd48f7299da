#include "rules/naive_reading.h"

#include <algorithm>

#include "parser/lines/fold.h"
#include "parser/scan/region.h"
#include "parser/scan/stamp_search.h"
#include "rules/reference_matcher.h"

namespace firstfault::test {

namespace {

class ReferenceSeam : public LineMatcher {
 public:
  explicit ReferenceSeam(const Rulebook& book) : book_(book) {}
  const std::vector<std::string>& anchors() const override { return book_.matcher().anchors(); }
  void match(std::string_view line, SourceKind kind, std::span<const std::uint32_t>,
             const Sink& sink) const override {
    book_.reference_matcher().match(line, kind, sink);
  }

 private:
  const Rulebook& book_;
};

struct Line {
  LinePart part;
  std::size_t end = 0;        // offset behind what is looked at of the part, and one end
  bool after_newline = true;  // the part begins a physical line
  bool cut = false;
};

// All parts that count as lines, in order.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  std::uint32_t number = 1;
  std::string_view head;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && !ends_part(text[end])) ++end;
    Line line;
    line.part.text = text.substr(at, std::min(end - at, Region::kLongest));
    line.cut = end - at > Region::kLongest;
    line.part.offset = at;
    line.part.number = number;
    line.part.head = head;
    line.after_newline = at == 0 || text[at - 1] == '\n';
    line.end = at + line.part.text.size() + 1;
    const bool newline = end < text.size() && text[end] == '\n';
    if (!line.part.text.empty() || (newline && head.empty())) out.push_back(line);
    if (head.empty()) head = line.part.text.substr(0, 256);
    if (newline) {
      ++number;
      head = {};
    }
    at = end + 1;
  }
  return out;
}

void strip(const LinePart& part, std::vector<Piece>* pieces) {
  pieces->clear();
  strip_prefixes(part.text, part.offset, part.number, SourceKind::unknown, pieces);
}

bool stamped(const std::vector<Piece>& pieces) {
  return std::any_of(pieces.begin(), pieces.end(),
                     [](const Piece& p) { return p.facts.stamp.clock != Clock::none; });
}

}  // namespace

SourceFacts read_naively(std::string_view text, const Rulebook& book) {
  const ReferenceSeam seam(book);
  const Vocabulary vocabulary(seam, LiteralScanner::Engine::aho_corasick);
  Fold fold({}, seam);
  StampSearch stamps;
  std::vector<Piece> pieces;
  const std::vector<Line> lines = lines_of(text);
  std::size_t shown = 0, shown_to = 0;  // lines; index behind the last one shown
  std::uint64_t shown_offset = 0;
  // The line in front of `at` that may be shown late, if any.
  const auto earlier = [&](std::size_t at, std::size_t limit) {
    if (at <= shown_to || at == 0) return false;
    const Line &line = lines[at], &before = lines[at - 1];
    return line.after_newline && before.after_newline && !before.cut &&
           limit - before.part.offset <= Region::kContext;
  };
  const auto show = [&](std::size_t i, const std::vector<FoldHit>& hits) {
    strip(lines[i].part, &pieces);
    fold.part(lines[i].part, pieces, hits);
    ++shown;
    shown_to = i + 1;
    shown_offset = lines[i].end;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const LinePart& part = lines[i].part;
    std::vector<FoldHit> hits;
    bool before = false, search = false, glance = false;
    for (std::uint32_t w = 0; w < vocabulary.scanner().literal_count(); ++w) {
      const std::string& word = vocabulary.scanner().literal(w);
      const Vocabulary::Meaning& m = vocabulary.meaning(w);
      for (std::size_t at = part.text.find(word); at != std::string_view::npos;
           at = part.text.find(word, at + 1)) {
        hits.push_back({at + word.size(), &m});
        before |= m.before;
        glance |= m.dense;
        search |= !m.timeless && !m.dense && (m.parsers != 0 || m.anchor >= 0);
      }
    }
    const bool follows = shown < 64 || fold.open() || stamps.wants_next();
    if (!follows) {
      if (hits.empty()) continue;
      stamps.arrive(part.offset - shown_offset);
    }
    strip(part, &pieces);
    const bool has_stamp = stamped(pieces);
    search = search && !has_stamp && shown >= 64;
    if (before || (search && stamps.hopeful())) {
      std::size_t wanted = 0;
      bool found = false;
      for (std::size_t n = 0; n < StampSearch::kReach && earlier(i - n, part.offset); ++n) {
        if (n == 0 && before) wanted = 1;
        if (!search) break;
        strip(lines[i - n - 1].part, &pieces);
        found = stamped(pieces);
        if (!found) continue;
        wanted = n + 1;
        break;
      }
      if (search) found ? stamps.found() : stamps.missed();
      for (; wanted > 0; --wanted) show(i - wanted, {});
    }
    show(i, hits);
    if (has_stamp) {
      stamps.found();
    } else {
      stamps.pass();
      if (search) stamps.look_ahead(StampSearch::kReach);
      if (glance) stamps.look_ahead(StampSearch::kGlance);
    }
  }
  // The tail.
  std::size_t first = lines.size();
  const bool torn = !text.empty() && text.back() != '\n';
  for (std::size_t n = 0; n < StampSearch::kReach && first > shown_to; ++n) {
    const Line& line = lines[first - 1];
    if (line.cut || text.size() - line.part.offset > Region::kContext) break;
    const bool half = n == 0 && !ends_part(text.back());
    if (!line.after_newline && !half) break;
    --first;
    if (!line.after_newline) break;
  }
  for (std::size_t i = first; i < lines.size(); ++i) show(i, {});
  const auto newlines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  return fold.finish(text.size(), newlines + (torn ? 1 : 0), torn);
}

}  // namespace firstfault::test
