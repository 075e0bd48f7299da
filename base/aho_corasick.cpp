#include "base/aho_corasick.h"

#include <algorithm>
#include <queue>

namespace firstfault {

namespace {

// The automaton while it is built: rows in order of creation.
struct Trie {
  std::uint32_t columns;
  std::vector<std::uint32_t> next;  // kNone = no edge yet
  std::vector<std::vector<std::uint32_t>> outputs;
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit Trie(std::uint32_t column_count) : columns(column_count) { add_row(); }
  std::uint32_t add_row() {
    next.resize(next.size() + columns, kNone);
    outputs.emplace_back();
    return static_cast<std::uint32_t>(outputs.size() - 1);
  }
  std::uint32_t& edge(std::uint32_t row, std::uint32_t column) {
    return next[row * columns + column];
  }

  // Fills the missing edges with those of the longest proper suffix, breadth first.
  void complete() {
    std::vector<std::uint32_t> fail(outputs.size(), 0);
    std::queue<std::uint32_t> rows;
    for (std::uint32_t c = 0; c < columns; ++c) {
      std::uint32_t& to = edge(0, c);
      if (to == kNone) {
        to = 0;
      } else {
        rows.push(to);
      }
    }
    for (; !rows.empty(); rows.pop()) {
      const std::uint32_t row = rows.front();
      const auto& inherited = outputs[fail[row]];
      outputs[row].insert(outputs[row].end(), inherited.begin(), inherited.end());
      std::sort(outputs[row].begin(), outputs[row].end());
      for (std::uint32_t c = 0; c < columns; ++c) {
        const std::uint32_t over_suffix = edge(fail[row], c);
        std::uint32_t& to = edge(row, c);
        if (to == kNone) {
          to = over_suffix;
        } else {
          fail[to] = over_suffix;
          rows.push(to);
        }
      }
    }
  }
};

}  // namespace

AhoCorasick::AhoCorasick(const std::vector<std::string>& literals) {
  columns_ = 1;  // column 0: bytes of no literal
  for (const std::string& literal : literals) {
    for (const char c : literal) {
      std::uint16_t& column = column_[static_cast<unsigned char>(c)];
      if (column == 0) column = static_cast<std::uint16_t>(columns_++);
    }
  }
  Trie trie(columns_);
  for (std::uint32_t i = 0; i < literals.size(); ++i) {
    std::uint32_t row = 0;
    for (const char c : literals[i]) {
      const std::uint32_t column = column_[static_cast<unsigned char>(c)];
      if (trie.edge(row, column) == Trie::kNone) {
        const std::uint32_t added = trie.add_row();
        trie.edge(row, column) = added;
      }
      row = trie.edge(row, column);
    }
    if (row != 0) trie.outputs[row].push_back(i);
  }
  trie.complete();

  // Accepting states get the highest numbers, so that one comparison tells them.
  const auto rows = static_cast<std::uint32_t>(trie.outputs.size());
  std::vector<std::uint32_t> order;
  for (const bool accepting : {false, true}) {
    if (accepting) first_accepting_ = static_cast<std::uint32_t>(order.size()) * columns_;
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (trie.outputs[row].empty() != accepting) order.push_back(row);
    }
  }
  std::vector<std::uint32_t> place(rows);
  for (std::uint32_t i = 0; i < rows; ++i) place[order[i]] = i;
  next_.resize(trie.next.size());
  outputs_begin_.push_back(0);
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t c = 0; c < columns_; ++c) {
      next_[i * columns_ + c] = place[trie.edge(order[i], c)] * columns_;
    }
    const auto& outputs = trie.outputs[order[i]];
    outputs_.insert(outputs_.end(), outputs.begin(), outputs.end());
    outputs_begin_.push_back(static_cast<std::uint32_t>(outputs_.size()));
  }
}

}  // namespace firstfault
