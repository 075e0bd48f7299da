#include "report/text_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace firstfault {

namespace {

struct Range {
  std::uint32_t first, last;
};

// Written as \uXXXX: C1 controls, which some terminals obey, and what reorders, hides or breaks
// text.
constexpr Range kUnsafe[] = {{0x80, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},
                             {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},
                             {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}};
// Two columns wide (Unicode's East Asian Width W and F, in blocks).
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                           {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
                           {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                           {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool within(const Range (&ranges)[N], std::uint32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& r) { return code >= r.first && code <= r.last; });
}

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;  // else one byte that begins no UTF-8 character
};

// The character at the start of `text`, which is not empty. File names are not always UTF-8.
Character decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t n = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  static constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xC2 || lead > 0xF4 || text.size() < n) return {};
  std::uint32_t code = lead & (0xFFu >> (n + 1));
  for (std::size_t k = 1; k < n; ++k) {
    const auto c = static_cast<unsigned char>(text[k]);
    if ((c & 0xC0) != 0x80) return {};
    code = code << 6 | (c & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[n] || code > 0x10FFFF || surrogate) return {};
  return {code, n, true};
}

std::size_t width_of(const Character& c) { return c.valid && within(kWide, c.code) ? 2 : 1; }

// Bytes of the longest beginning of `text` that takes at most `width` columns.
std::size_t bytes_of(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Character c = decode(text.substr(at));
    if (width_of(c) > width) break;
    width -= width_of(c);
    at += c.bytes;
  }
  return at;
}

// Takes the longest beginning of `*rest` that fits, cut at a blank if there is one. Takes at least
// one character.
std::string_view take_line(std::string_view* rest, std::size_t width) {
  std::size_t cut = std::max(bytes_of(*rest, width), decode(*rest).bytes);
  if (cut < rest->size()) {
    const std::size_t blank = rest->rfind(' ', cut);
    if (blank != std::string_view::npos && blank > 0) cut = blank;
  }
  const std::string_view line = rest->substr(0, cut);
  rest->remove_prefix(cut);
  rest->remove_prefix(std::min(rest->find_first_not_of(' '), rest->size()));
  return line;
}

}  // namespace

std::string safe(std::string_view text, std::size_t most_bytes) {
  std::string out;
  for (std::size_t i = 0; i < text.size() && out.size() < most_bytes;) {
    const Character c = decode(text.substr(i));
    if (!c.valid) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    } else if (c.code < 0x20 || c.code == 0x7F) {
      out += ' ';
    } else if (within(kUnsafe, c.code)) {
      out += fmt::format("\\u{:04x}", c.code);
    } else {
      out += text.substr(i, c.bytes);
    }
    i += c.bytes;
  }
  return out;
}

std::size_t columns(std::string_view text) {
  std::size_t n = 0;
  while (!text.empty()) {
    const Character c = decode(text);
    n += width_of(c);
    text.remove_prefix(c.bytes);
  }
  return n;
}

std::string fit(std::string_view text, std::size_t width) {
  if (bytes_of(text, width) == text.size()) return std::string(text);
  const std::size_t kept = width > 3 ? width - 3 : width;
  return std::string(text.substr(0, bytes_of(text, kept))) + (width > 3 ? "..." : "");
}

std::string fit_ranks(const RankSet& ranks, std::size_t width) {
  const std::string all = ranks.str();
  if (all.size() <= width) return all;
  for (std::size_t cut = all.rfind(',', width); cut != std::string::npos && cut > 0;
       cut = all.rfind(',', cut - 1)) {
    const auto kept = RankSet::parse(all.substr(0, cut));
    if (!kept) break;
    std::string out =
        fmt::format("{} ... (+{} more)", all.substr(0, cut), ranks.size() - kept->size());
    if (out.size() <= width) return out;
  }
  return fmt::format("{} ranks", ranks.size());
}

void TextPage::put(std::string_view text, const char* colour) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  out_ += colour_ && colour != nullptr ? fmt::format("{}{}\x1b[0m\n", colour, text)
                                       : fmt::format("{}\n", text);
}

void TextPage::headline(std::string_view label, std::string_view text, const char* colour) {
  const std::string shown = fit(safe(fmt::format("{}: {}", label, text)), 2 * width_ - 20);
  for (std::string_view rest = shown; !rest.empty();) put(take_line(&rest, width_), colour);
}

void TextPage::section(std::string_view name) {
  blank();
  put(fit(safe(name), width_), kBold);
}

void TextPage::line(std::string_view text, std::size_t indent) {
  put(std::string(indent, ' ') + fit(safe(text), width_ - indent));
}

void TextPage::wrapped(std::string_view text, std::size_t indent, std::size_t most_lines) {
  const std::string all = safe(text);
  std::string_view rest = all;
  for (std::size_t n = 1; !rest.empty(); ++n) {
    if (n == most_lines) return line(rest, indent);
    put(std::string(indent, ' ') + std::string(take_line(&rest, width_ - indent)));
  }
}

void TextPage::field(std::string_view name, std::string_view value) {
  line(fmt::format("{:<13} {}", name, value));
}

void TextPage::blank() { out_ += '\n'; }

}  // namespace firstfault
