// A dense Aho-Corasick automaton: one table look-up a byte, whatever the number of literals.
//
// Bytes that occur in no literal share one column, so the table stays small enough for the cache.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace firstfault {

class AhoCorasick {
 public:
  explicit AhoCorasick(const std::vector<std::string>& literals);

  // Calls found(literal, end) for every occurrence, in order of end.
  template <typename Found>
  void scan(std::string_view window, Found&& found) const {
    std::uint32_t state = 0;  // row offset into next_, already multiplied by the number of columns
    const char* const data = window.data();
    for (std::size_t i = 0; i < window.size(); ++i) {
      state = next_[state + column_[static_cast<unsigned char>(data[i])]];
      if (state < first_accepting_) continue;
      report(state, i + 1, found);
    }
  }

  std::size_t state_count() const { return columns_ == 0 ? 0 : next_.size() / columns_; }

 private:
  template <typename Found>
  void report(std::uint32_t state, std::size_t end, Found& found) const {
    const std::uint32_t row = state / columns_;
    for (std::uint32_t i = outputs_begin_[row]; i < outputs_begin_[row + 1]; ++i) {
      found(outputs_[i], end);
    }
  }

  std::array<std::uint16_t, 256> column_{};
  std::uint32_t columns_ = 0;
  std::uint32_t first_accepting_ = 0;  // rows are ordered: accepting states last
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> outputs_begin_, outputs_;  // literals that end in a state
};

}  // namespace firstfault
