#include "base/rank_set.h"

#include <algorithm>
#include <charconv>
#include <functional>

namespace firstfault {

namespace {
constexpr std::int32_t kMaxRank = (1 << 30) - 1;

void sort_unique(std::vector<std::int32_t>& v) {
  if (std::adjacent_find(v.begin(), v.end(), std::greater_equal<>()) == v.end()) return;
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
}
}  // namespace

RankSet::RankSet(std::initializer_list<std::int32_t> ranks) : ranks_(ranks) { sort_unique(ranks_); }
RankSet::RankSet(std::vector<std::int32_t> ranks) : ranks_(std::move(ranks)) {
  sort_unique(ranks_);
}

RankSet RankSet::first(std::int32_t size) {
  RankSet out;
  for (std::int32_t r = 0; r < size; ++r) out.ranks_.push_back(r);
  return out;
}

Result<RankSet> RankSet::parse(std::string_view text, std::size_t max_size) {
  const Error malformed{"not a list of ranks: '" + std::string(text.substr(0, 40)) + "'"};
  std::vector<std::int32_t> out;
  const char* p = text.data();
  const char* const end = p + text.size();
  const auto one_of = [](char c, std::string_view chars) {
    for (const char other : chars) {
      if (c == other) return true;
    }
    return false;
  };
  auto skip = [&](std::string_view chars) {
    while (p != end && one_of(*p, chars)) ++p;
  };
  skip("[{( ");
  if (p != end && p + 1 == end) skip("]})");  // "[]"
  while (p != end) {
    std::int32_t lo = 0;
    auto [after_lo, bad_lo] = std::from_chars(p, end, lo);
    if (bad_lo != std::errc{} || lo < 0 || lo > kMaxRank) return malformed;
    p = after_lo;
    std::int32_t hi = lo;
    if (p != end && *p == '-') {
      auto [after_hi, bad_hi] = std::from_chars(p + 1, end, hi);
      if (bad_hi != std::errc{} || hi < lo || hi > kMaxRank) return malformed;
      p = after_hi;
    }
    if (out.size() + static_cast<std::size_t>(hi - lo) + 1 > max_size) {
      return Error{"more than " + std::to_string(max_size) + " ranks in a list"};
    }
    for (std::int32_t r = lo; r <= hi; ++r) out.push_back(r);
    const char* before = p;
    skip(", ]})");
    if (p == before && p != end) return malformed;
  }
  return RankSet(std::move(out));
}

void RankSet::insert(std::int32_t rank) {
  auto at = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if (at == ranks_.end() || *at != rank) ranks_.insert(at, rank);
}

void RankSet::erase(std::int32_t rank) {
  auto at = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if (at != ranks_.end() && *at == rank) ranks_.erase(at);
}

void RankSet::merge(const RankSet& other) {
  if (other.size() == 1) return insert(other.smallest());
  std::vector<std::int32_t> both;
  std::set_union(ranks_.begin(), ranks_.end(), other.begin(), other.end(),
                 std::back_inserter(both));
  ranks_ = std::move(both);
}

bool RankSet::contains(std::int32_t rank) const {
  return std::binary_search(ranks_.begin(), ranks_.end(), rank);
}

bool RankSet::contains_all(const RankSet& other) const {
  return std::includes(ranks_.begin(), ranks_.end(), other.begin(), other.end());
}

bool RankSet::intersects(const RankSet& other) const {
  return std::any_of(other.begin(), other.end(), [&](std::int32_t r) { return contains(r); });
}

RankSet RankSet::minus(const RankSet& other) const {
  RankSet out;
  std::set_difference(ranks_.begin(), ranks_.end(), other.begin(), other.end(),
                      std::back_inserter(out.ranks_));
  return out;
}

RankSet RankSet::intersect(const RankSet& other) const {
  RankSet out;
  std::set_intersection(ranks_.begin(), ranks_.end(), other.begin(), other.end(),
                        std::back_inserter(out.ranks_));
  return out;
}

std::string RankSet::str() const {
  std::string out;
  for (std::size_t i = 0; i < ranks_.size();) {
    std::size_t j = i;
    while (j + 1 < ranks_.size() && ranks_[j + 1] == ranks_[j] + 1) ++j;
    if (!out.empty()) out += ',';
    out += std::to_string(ranks_[i]);
    if (j > i) out += '-' + std::to_string(ranks_[j]);
    i = j + 1;
  }
  return out;
}

}  // namespace firstfault
