#include "timeline/nearby.h"

#include <algorithm>
#include <deque>

namespace firstfault {

namespace {

constexpr std::size_t kMostFound = 64;
constexpr std::size_t kMostFolded = 1024;

template <typename T>
std::vector<const T*> by_line(const std::deque<T>& items) {
  std::vector<const T*> out;
  for (const T& item : items) out.push_back(&item);
  std::stable_sort(out.begin(), out.end(),
                   [](const T* a, const T* b) { return a->quote.line < b->quote.line; });
  return out;
}

template <typename T, typename Same>
std::vector<const T*> in_lines(const std::vector<const T*>& items, std::uint32_t from,
                               std::uint32_t to, Same same) {
  std::vector<const T*> out;
  auto at = std::partition_point(items.begin(), items.end(),
                                 [&](const T* item) { return item->quote.line < from; });
  for (; at != items.end() && (*at)->quote.line <= to && out.size() < kMostFound; ++at) {
    if (same((*at)->speaker)) out.push_back(*at);
  }
  return out;
}

}  // namespace

Nearby::Nearby(const Scene& scene) : scene_(scene) {
  for (const SourceFacts& source : scene.facts.sources) {
    events_.push_back(by_line(source.events));
    records_.push_back(by_line(source.records));
    std::vector<const EventItem*> folded;
    for (const EventItem& event : source.events) {
      if (event.count > 1 && folded.size() < kMostFolded) folded.push_back(&event);
    }
    folded_.push_back(std::move(folded));
  }
}

bool Nearby::same_voice(std::uint32_t source, std::uint32_t a, std::uint32_t b) const {
  if (a == b) return true;
  const Voice& x = scene_.identity.voice(source, a);
  const Voice& y = scene_.identity.voice(source, b);
  return x.rank >= 0 && x.rank == y.rank && x.agent == y.agent;
}

std::vector<const EventItem*> Nearby::events(std::uint32_t source, std::uint32_t speaker,
                                             std::uint32_t from, std::uint32_t to) const {
  return in_lines(events_[source], from, to,
                  [&](std::uint32_t other) { return same_voice(source, speaker, other); });
}

std::vector<const RecordItem*> Nearby::records(std::uint32_t source, std::uint32_t speaker,
                                               std::uint32_t from, std::uint32_t to) const {
  return in_lines(records_[source], from, to,
                  [&](std::uint32_t other) { return same_voice(source, speaker, other); });
}

}  // namespace firstfault
