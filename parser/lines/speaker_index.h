// Finds the speakers of a source that share a label with what a line says: a merged log may hold
// tens of thousands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/speaker.h"

namespace firstfault {

class SpeakerIndex {
 public:
  // The labels that speaker `number` is known by; may be told again when there are more.
  void add(std::uint32_t number, const Speaker& s) {
    each_label(s, [&](std::uint64_t label) {
      std::vector<std::uint32_t>& row = by_label_[label];
      const auto at = std::lower_bound(row.begin(), row.end(), number);
      if (at == row.end() || *at != number) row.insert(at, number);
    });
  }

  // Those that share at least one label, ascending.
  const std::vector<std::uint32_t>& sharing(const Speaker& said) {
    found_.clear();
    each_label(said, [&](std::uint64_t label) {
      const auto at = by_label_.find(label);
      if (at != by_label_.end()) found_.insert(found_.end(), at->second.begin(), at->second.end());
    });
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return found_;
  }

 private:
  template <typename Use>
  static void each_label(const Speaker& s, Use use) {
    const std::int64_t labels[] = {s.local_rank, s.global_rank, s.task, s.pid};
    for (std::uint64_t kind = 0; kind < 4; ++kind) {
      if (labels[kind] >= 0) use(kind << 62 | (static_cast<std::uint64_t>(labels[kind]) & kValue));
    }
  }
  static constexpr std::uint64_t kValue = (std::uint64_t{1} << 62) - 1;

  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_label_;
  std::vector<std::uint32_t> found_;
};

}  // namespace firstfault
