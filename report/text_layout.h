// Lines of a terminal: safe, cut to a width, optionally coloured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace firstfault {

// Log text made safe for terminals: control characters become blanks, bidirectional overrides are
// written as \u202e. The input is UTF-8.
std::string safe(std::string_view text);

// Number of columns, counting each character as one.
std::size_t columns(std::string_view text);
// At most `width` columns; what is cut is marked by "...".
std::string fit(std::string_view text, std::size_t width);

class TextPage {
 public:
  TextPage(std::size_t width, bool colour) : width_(width), colour_(colour) {}

  void headline(std::string_view label, std::string_view text, const char* colour);
  void section(std::string_view name);                       // "WHY"
  void line(std::string_view text, std::size_t indent = 2);  // cut to the width
  void wrapped(std::string_view text, std::size_t indent = 2, std::size_t most_lines = 3);
  void field(std::string_view name, std::string_view value);
  void blank();

  std::string str() && { return std::move(out_); }

 private:
  void put(std::string_view text);

  std::size_t width_;
  bool colour_;
  std::string out_;
};

inline constexpr const char* kRed = "\x1b[1;31m";
inline constexpr const char* kYellow = "\x1b[1;33m";
inline constexpr const char* kGreen = "\x1b[1;32m";

}  // namespace firstfault
