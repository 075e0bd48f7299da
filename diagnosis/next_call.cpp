#include "diagnosis/next_call.h"

#include <algorithm>

namespace firstfault {

namespace {

constexpr std::size_t kMaxPast = 512;  // calls

struct Call {
  std::int64_t at = 0;
  std::size_t communicator = 0;
  OpKind kind = OpKind::unknown;

  bool same(const Call& o) const { return communicator == o.communicator && kind == o.kind; }
};

std::vector<Call> past_of(const Attempt& attempt, std::int32_t rank) {
  std::vector<Call> past;
  for (std::size_t c = 0; c < attempt.communicators.size(); ++c) {
    for (const Slot& slot : attempt.communicators[c].slots) {
      const auto own = slot.cells.find(rank);
      if (own == slot.cells.end() || !own->second.issued || own->second.after_cut) continue;
      if (own->second.source != OpSource::flight_recorder) continue;  // the order must be exact
      if (!own->second.issued_at.bounded_below()) continue;
      past.push_back({own->second.issued_at.lo, c, own->second.signature.kind});
    }
  }
  std::stable_sort(past.begin(), past.end(),
                   [](const Call& a, const Call& b) { return a.at < b.at; });
  if (past.size() > kMaxPast) past.erase(past.begin(), past.end() - kMaxPast);
  return past;
}

}  // namespace

std::optional<std::size_t> next_communicator(const Attempt& attempt, std::int32_t rank,
                                             const std::vector<std::size_t>& candidates) {
  const std::vector<Call> past = past_of(attempt, rank);
  std::size_t best_place = 0, best_length = 0;
  for (std::size_t place = past.size(); place-- > 1;) {  // past[place] came next
    std::size_t length = 0;
    while (length < place && past[place - 1 - length].same(past[past.size() - 1 - length])) {
      ++length;
    }
    if (length > best_length) {
      best_length = length;
      best_place = place;
    }
  }
  if (best_length == 0) return std::nullopt;
  for (std::size_t i = best_place; i < past.size(); ++i) {
    const auto fits = std::find(candidates.begin(), candidates.end(), past[i].communicator);
    if (fits != candidates.end()) return *fits;
  }
  return std::nullopt;
}

}  // namespace firstfault
