// Lines of a terminal: safe, cut to a width, optionally coloured.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/rank_set.h"

namespace firstfault {

inline constexpr std::size_t kSafeBytes = 16384;  // more is never shown

// Log text and file names made safe for terminals: control characters become blanks; what reorders
// or hides text (bidirectional overrides, C1 controls, zero-width characters) is written as \u202e,
// bytes that are not UTF-8 as \xff. Stops after about `most_bytes`.
std::string safe(std::string_view text, std::size_t most_bytes = kSafeBytes);

// Number of columns: two for East Asian wide characters, else one.
std::size_t columns(std::string_view text);
// At most `width` columns; what is cut is marked by "...".
std::string fit(std::string_view text, std::size_t width);
// "0-127,130"; too long for `width` columns: "0,2,4 ... (+509 more)", counting ranks, or "512
// ranks".
std::string fit_ranks(const RankSet& ranks, std::size_t width);

inline constexpr const char* kBold = "\x1b[1m";
inline constexpr const char* kRed = "\x1b[1;31m";
inline constexpr const char* kYellow = "\x1b[1;33m";
inline constexpr const char* kGreen = "\x1b[1;32m";

// Whatever text comes in, no line is wider than `width` (at least 40) and none has a control
// character of the text.
class TextPage {
 public:
  TextPage(int width, bool colour)
      : width_(static_cast<std::size_t>(std::max(width, 40))), colour_(colour) {}

  void headline(std::string_view label, std::string_view text, const char* colour);  // <= 2 lines
  void section(std::string_view name);                                               // "WHY"
  void line(std::string_view text, std::size_t indent = 2);  // cut to the width
  void wrapped(std::string_view text, std::size_t indent = 2, std::size_t most_lines = 3);
  void field(std::string_view name, std::string_view value);
  void blank();

  std::string str() && { return std::move(out_); }

 private:
  void put(std::string_view text, const char* colour = nullptr);

  std::size_t width_;
  bool colour_;
  std::string out_;
};

}  // namespace firstfault
