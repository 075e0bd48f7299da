// Small, allocation-free helpers over bytes that need not be UTF-8.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace firstfault {

// Whole text as a decimal number; nullopt if anything else stands in it or it does not fit.
template <typename Int>
std::optional<Int> parse_int(std::string_view text, int base = 10) {
  Int value{};
  const char* end = text.data() + text.size();
  auto [p, error] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || error != std::errc{} || p != end) return std::nullopt;
  return value;
}

// "0x1f", "1f": an unsigned 64-bit number in hexadecimal.
std::optional<std::uint64_t> parse_hex(std::string_view text);
std::string hex(std::uint64_t value);  // "0x1f"

std::string_view trim(std::string_view text);  // ASCII blanks on both ends
std::vector<std::string_view> split(std::string_view text, char separator);
std::string to_lower(std::string_view text);  // ASCII only

// Removes `prefix` from the front of *text if it is there.
bool consume(std::string_view* text, std::string_view prefix);
// Reads the longest run of decimal digits from the front of *text.
std::optional<std::int64_t> consume_int(std::string_view* text);
// The text up to (not including) `stop`, which is removed as well; nullopt and *text unchanged if
// absent.
std::optional<std::string_view> consume_until(std::string_view* text, std::string_view stop);

// At most `limit` bytes as valid UTF-8: bad bytes become U+FFFD and set *lossy, control characters
// other than tab become spaces, a cut never falls into a character.
std::string to_utf8(std::string_view bytes, std::size_t limit, bool* lossy);

// File-name part and folder part of a path with '/' separators.
std::string_view base_name(std::string_view path);
std::string_view dir_name(std::string_view path);

}  // namespace firstfault
