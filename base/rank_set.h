// A set of ranks, printed as ranges: "0-127,130". Used wherever many ranks do the same thing.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace firstfault {

class RankSet {
 public:
  RankSet() = default;
  RankSet(std::initializer_list<std::int32_t> ranks);
  explicit RankSet(std::vector<std::int32_t> ranks);

  // All of [0, size).
  static RankSet first(std::int32_t size);
  // Reads "0-3,7" and "[0, 1, 2]" (the form of a Flight Recorder's pg_config). At most max_size
  // ranks are accepted, each in [0, 2^30).
  static Result<RankSet> parse(std::string_view text, std::size_t max_size = 1u << 20);

  void insert(std::int32_t rank);
  void erase(std::int32_t rank);
  void merge(const RankSet& other);
  bool contains(std::int32_t rank) const;
  bool contains_all(const RankSet& other) const;
  bool intersects(const RankSet& other) const;
  RankSet minus(const RankSet& other) const;
  RankSet intersect(const RankSet& other) const;

  bool empty() const { return ranks_.empty(); }
  std::size_t size() const { return ranks_.size(); }
  std::int32_t smallest() const { return ranks_.front(); }            // requires !empty()
  const std::vector<std::int32_t>& values() const { return ranks_; }  // ascending
  auto begin() const { return ranks_.begin(); }
  auto end() const { return ranks_.end(); }

  std::string str() const;  // "0-127,130"; "" when empty

  friend bool operator==(const RankSet&, const RankSet&) = default;
  friend auto operator<=>(const RankSet&, const RankSet&) = default;

 private:
  std::vector<std::int32_t> ranks_;
};

}  // namespace firstfault
