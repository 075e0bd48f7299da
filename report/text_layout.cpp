#include "report/text_layout.h"

#include <fmt/format.h>

namespace firstfault {

namespace {

// Bytes of the UTF-8 character that begins with `lead`.
std::size_t length_of(unsigned char lead) {
  return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
}

std::size_t bytes_of(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  for (; width > 0 && at < text.size(); --width)
    at += length_of(static_cast<unsigned char>(text[at]));
  return std::min(at, text.size());
}

}  // namespace

std::string safe(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t n = std::min(length_of(c), text.size() - i);
    const std::string_view character = text.substr(i, n);
    i += n;
    if (n == 1) {
      out += c < 0x20 || c == 0x7F ? ' ' : static_cast<char>(c);
      continue;
    }
    std::uint32_t code = c & (0xFFu >> (n + 1));
    for (std::size_t k = 1; k < n; ++k)
      code = code << 6 | (static_cast<unsigned char>(character[k]) & 0x3F);
    const bool override_mark = (code >= 0x202A && code <= 0x202E) ||
                               (code >= 0x2066 && code <= 0x2069) || code == 0x200E ||
                               code == 0x200F || (code >= 0x80 && code < 0xA0);
    if (override_mark) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      out += character;
    }
  }
  return out;
}

std::size_t columns(std::string_view text) {
  std::size_t n = 0;
  for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return n;
}

std::string fit(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  const std::size_t kept = width > 3 ? width - 3 : width;
  return std::string(text.substr(0, bytes_of(text, kept))) + (width > 3 ? "..." : "");
}

void TextPage::put(std::string_view text) {
  out_ += text;
  while (!out_.empty() && out_.back() == ' ') out_.pop_back();
  out_ += '\n';
}

void TextPage::headline(std::string_view label, std::string_view text, const char* colour) {
  const std::string all = safe(fmt::format("{}: {}", label, text));
  const std::string shown = fit(all, 2 * width_);
  std::string_view rest = shown;
  while (!rest.empty()) {
    std::size_t cut = bytes_of(rest, width_);
    if (cut < rest.size()) {
      const std::size_t blank = rest.rfind(' ', cut);
      if (blank != std::string_view::npos && blank > 0) cut = blank;
    }
    const std::string_view part = rest.substr(0, cut);
    put(colour_ ? fmt::format("{}{}\x1b[0m", colour, part) : std::string(part));
    rest.remove_prefix(cut);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
  }
}

void TextPage::section(std::string_view name) {
  out_ += '\n';
  put(colour_ ? fmt::format("\x1b[1m{}\x1b[0m", name) : std::string(name));
}

void TextPage::line(std::string_view text, std::size_t indent) {
  put(std::string(indent, ' ') + fit(safe(text), width_ - indent));
}

void TextPage::wrapped(std::string_view text, std::size_t indent, std::size_t most_lines) {
  const std::string all = safe(text);
  std::string_view rest = all;
  for (std::size_t n = 1; !rest.empty(); ++n) {
    const std::size_t room = width_ - indent;
    if (n == most_lines || columns(rest) <= room) {
      line(rest, indent);
      return;
    }
    std::size_t cut = bytes_of(rest, room);
    const std::size_t blank = rest.rfind(' ', cut);
    if (blank != std::string_view::npos && blank > 0) cut = blank;
    line(rest.substr(0, cut), indent);
    rest.remove_prefix(cut);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
  }
}

void TextPage::field(std::string_view name, std::string_view value) {
  line(fmt::format("{:<13} {}", name, value));
}

void TextPage::blank() { out_ += '\n'; }

}  // namespace firstfault
