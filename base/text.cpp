#include "base/text.h"

#include <algorithm>

namespace firstfault {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

// Length of the valid UTF-8 character at the front of `bytes`, 0 if there is none.
std::size_t utf8_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || bytes.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
  const bool too_high = lead == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || too_high ? 0 : length;
}

}  // namespace

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (!consume(&text, "0x")) consume(&text, "0X");
  return parse_int<std::uint64_t>(text, 16);
}

std::string hex(std::uint64_t value) {
  char buffer[16];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, 16);
  return "0x" + std::string(buffer, end);
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0;;) {
    const std::size_t next = text.find(separator, at);
    out.push_back(text.substr(at, next - at));
    if (next == std::string_view::npos) return out;
    at = next + 1;
  }
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool consume(std::string_view* text, std::string_view prefix) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

std::optional<std::int64_t> consume_int(std::string_view* text) {
  std::size_t n = 0;
  while (n < text->size() && (*text)[n] >= '0' && (*text)[n] <= '9') ++n;
  auto value = parse_int<std::int64_t>(text->substr(0, n));
  if (value) text->remove_prefix(n);
  return value;
}

std::optional<std::string_view> consume_until(std::string_view* text, std::string_view stop) {
  const std::size_t at = text->find(stop);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view head = text->substr(0, at);
  text->remove_prefix(at + stop.size());
  return head;
}

std::string to_utf8(std::string_view bytes, std::size_t limit, bool* lossy) {
  // Most text is printable ASCII and goes over as a whole.
  std::size_t plain = 0;
  const std::size_t most = std::min(bytes.size(), limit);
  while (plain < most && bytes[plain] >= 0x20 && bytes[plain] < 0x7F) ++plain;
  std::string out(bytes.substr(0, plain));
  bytes.remove_prefix(plain);
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (out.size() + (length == 0 ? 3 : length) > limit) break;
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      if (lossy != nullptr) *lossy = true;
      bytes.remove_prefix(1);
      continue;
    }
    const auto c = static_cast<unsigned char>(bytes.front());
    const bool control = length == 1 && ((c < 0x20 && c != '\t') || c == 0x7F);
    if (control) {
      out += ' ';
    } else {
      out.append(bytes.substr(0, length));
    }
    bytes.remove_prefix(length);
  }
  return out;
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view dir_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace firstfault
