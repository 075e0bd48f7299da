// Which events and records stand in the same lines of the same voice.
#pragma once

#include <cstdint>
#include <vector>

#include "timeline/scene.h"

namespace firstfault {

class Nearby {
 public:
  explicit Nearby(const Scene& scene);

  // Items of one voice on lines [from, to] of a source. In a source without lines: all items.
  std::vector<const EventItem*> events(std::uint32_t source, std::uint32_t speaker,
                                       std::uint32_t from, std::uint32_t to) const;
  std::vector<const RecordItem*> records(std::uint32_t source, std::uint32_t speaker,
                                         std::uint32_t from, std::uint32_t to) const;
  // Events that stand for several lines and are quoted at the first only; at most 1,024 of a
  // source.
  const std::vector<const EventItem*>& folded(std::uint32_t source) const {
    return folded_[source];
  }

 private:
  bool same_voice(std::uint32_t source, std::uint32_t a, std::uint32_t b) const;

  const Scene& scene_;
  std::vector<std::vector<const EventItem*>> events_;    // [source] by line
  std::vector<std::vector<const EventItem*>> folded_;    // [source]
  std::vector<std::vector<const RecordItem*>> records_;  // [source] by line
};

}  // namespace firstfault
