#include "timeline/episode_book.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace firstfault {

namespace {

// Captures that tell occurrences apart, not episodes.
constexpr std::string_view kPassing[] = {"peer", "text",  "port",    "addr",        "address",
                                         "time", "bytes", "message", "signalled_by"};

bool passing(const Capture& capture) {
  return std::find(std::begin(kPassing), std::end(kPassing), capture.name) != std::end(kPassing);
}

bool same_captures(const std::vector<Capture>& a, const std::vector<Capture>& b) {
  auto x = a.begin();
  auto y = b.begin();
  while (true) {
    while (x != a.end() && passing(*x)) ++x;
    while (y != b.end() && passing(*y)) ++y;
    if (x == a.end() || y == b.end()) return x == a.end() && y == b.end();
    if (*x != *y) return false;
    ++x;
    ++y;
  }
}

bool known(const Interval& t) { return !t.unknown(); }

void take_first(Interval* time, const Interval& other, bool copy_of_it) {
  if (!known(other)) return;
  if (!known(*time)) {
    *time = other;
  } else if (copy_of_it && time->overlaps(other)) {
    *time = time->intersect(other);
  } else if (std::tie(other.lo, other.hi) < std::tie(time->lo, time->hi)) {
    *time = other;
  }
}

void take_last(Interval* time, const Interval& other) {
  if (!known(other)) return;
  if (!known(*time) || std::tie(other.hi, other.lo) > std::tie(time->hi, time->lo)) *time = other;
}

}  // namespace

bool EpisodeBook::same(const Episode& a, const Episode& b) {
  return a.cls == b.cls && a.signature == b.signature && a.reporter == b.reporter &&
         a.about.ranks == b.about.ranks && a.about.host == b.about.host &&
         a.about.pci == b.about.pci && a.about.pid == b.about.pid &&
         a.communicator == b.communicator && a.seq == b.seq &&
         same_captures(a.captures, b.captures);
}

void EpisodeBook::index_rank(Book* book, std::size_t i) {
  const Episode& e = book->drafts[i].episode;
  RankSet ranks = e.about.ranks;
  ranks.merge(e.reporter.ranks);
  for (std::int32_t rank : ranks) {
    std::vector<std::size_t>& list = book->by_rank[{rank, e.cls}];
    if (list.empty() || list.back() != i) list.push_back(i);
  }
}

void EpisodeBook::add(const Contribution& c) {
  Book& book = drafts_[c.attempt];
  const Episode& e = c.episode;
  std::string key = e.cls + '\0' + e.signature + '\0' + e.reporter.ranks.str() + '\0' +
                    e.about.ranks.str() + '\0' + e.communicator + '\0' + std::to_string(e.seq) +
                    '\0' + e.about.host;
  for (const Capture& capture : e.captures) {
    if (!passing(capture)) key += '\0' + capture.value;
  }
  std::vector<std::size_t>& places = book.index[key];
  Draft* draft = nullptr;
  for (std::size_t i : places) {
    if (same(book.drafts[i].episode, e)) draft = &book.drafts[i];
  }
  const Interval first = known(e.time) ? e.time : scene_.clock.at(c.item->first);
  const Interval last = scene_.clock.at(c.item->last);
  if (draft == nullptr) {
    places.push_back(book.drafts.size());
    book.drafts.emplace_back();
    draft = &book.drafts.back();
    draft->episode = e;
    draft->episode.time = first;
    draft->episode.last_time = known(last) ? last : first;
    index_rank(&book, book.drafts.size() - 1);
  } else {
    const bool copy = !draft->count.contains(c.source);
    take_first(&draft->episode.time, first, copy);
    take_last(&draft->episode.last_time, known(last) ? last : first);
  }
  draft->count[c.source] += c.item->count;
  draft->sure = draft->sure || !e.joined_by_guess;
  draft->in_window = draft->in_window || e.in_window;
  add_evidence(&draft->episode.evidence, scene_.evidence(c.source, c.item->quote));
  if (c.item->count > 1 && c.item->last_quote.length > 0) {
    add_evidence(&draft->late, scene_.evidence(c.source, c.item->last_quote));
  }
}

bool EpisodeBook::add_place(std::int32_t attempt, const std::string& cls, std::int32_t rank,
                            std::uint32_t source, const Quote& quote) {
  Book& book = drafts_[attempt];
  const auto at = book.by_rank.find({rank, cls});
  if (at == book.by_rank.end()) return false;
  add_evidence(&book.drafts[at->second.front()].episode.evidence, scene_.evidence(source, quote));
  return true;
}

bool EpisodeBook::has(std::int32_t attempt, const std::string& cls, std::int32_t rank) const {
  return drafts_[attempt].by_rank.contains({rank, cls});
}

bool EpisodeBook::any(std::int32_t attempt, std::int32_t rank, std::string_view prefix) const {
  const auto& by_rank = drafts_[attempt].by_rank;
  const auto at = by_rank.lower_bound({rank, std::string(prefix)});
  return at != by_rank.end() && at->first.first == rank && at->first.second.starts_with(prefix);
}

// A copy of a line whose surroundings do not name the communicator is the same as one where they
// do.
void EpisodeBook::merge_unplaced(Book* book) {
  std::map<std::string, std::vector<std::size_t>> placed;
  auto key = [](const Episode& e) {
    return e.cls + '\0' + e.signature + '\0' + e.reporter.ranks.str() + '\0' + e.about.ranks.str();
  };
  for (std::size_t i = 0; i < book->drafts.size(); ++i) {
    const Episode& e = book->drafts[i].episode;
    if (!e.communicator.empty() && !e.reporter.ranks.empty()) placed[key(e)].push_back(i);
  }
  for (Draft& draft : book->drafts) {
    Episode& e = draft.episode;
    if (!e.communicator.empty() || e.seq >= 0) continue;
    const auto at = placed.find(key(e));
    if (at == placed.end() || at->second.size() != 1) continue;
    Draft& into = book->drafts[at->second.front()];
    Episode probe = e;
    probe.communicator = into.episode.communicator;
    probe.seq = into.episode.seq;
    if (!same(probe, into.episode)) continue;
    take_first(&into.episode.time, e.time, true);
    take_last(&into.episode.last_time, e.last_time);
    for (const auto& [source, n] : draft.count) into.count[source] += n;
    for (Evidence& evidence : e.evidence) add_evidence(&into.episode.evidence, std::move(evidence));
    into.sure = into.sure || draft.sure;
    into.in_window = into.in_window || draft.in_window;
    draft.merged = true;
  }
}

std::vector<Episode> EpisodeBook::take(std::int32_t attempt) {
  merge_unplaced(&drafts_[attempt]);
  std::vector<Episode> out;
  for (Draft& draft : drafts_[attempt].drafts) {
    if (draft.merged) continue;
    Episode e = std::move(draft.episode);
    e.count = 1;
    for (const auto& [source, n] : draft.count) e.count = std::max(e.count, n);
    e.joined_by_guess = !draft.sure;
    e.in_window = draft.in_window;
    std::sort(e.evidence.begin(), e.evidence.end(), [](const Evidence& a, const Evidence& b) {
      return std::tie(a.source, a.quote.offset, a.quote.record) <
             std::tie(b.source, b.quote.offset, b.quote.record);
    });
    for (Evidence& late : draft.late) {
      if (e.evidence.size() < 4) add_evidence(&e.evidence, std::move(late));
    }
    out.push_back(std::move(e));
  }
  drafts_[attempt] = {};
  auto place = [](const Episode& e) {
    return e.evidence.empty()
               ? std::pair<std::uint32_t, std::uint64_t>()
               : std::pair(e.evidence.front().source, e.evidence.front().quote.offset);
  };
  std::stable_sort(out.begin(), out.end(), [&](const Episode& a, const Episode& b) {
    const auto pa = place(a), pb = place(b);
    return std::tie(a.time.lo, a.time.hi, a.cls, a.about, a.reporter, pa, a.signature, a.seq) <
           std::tie(b.time.lo, b.time.hi, b.cls, b.about, b.reporter, pb, b.signature, b.seq);
  });
  return out;
}

}  // namespace firstfault
