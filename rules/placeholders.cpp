#include "rules/placeholders.h"

namespace firstfault {

namespace {

// How a phrase reads when what its placeholders stand for is not known, or is several ranks.
struct PhraseRow {
  std::string_view phrase, placeholder, unknown, several;
};
constexpr PhraseRow kPhrases[] = {
    {"rank {rank}", "rank", "the rank in question", "ranks {rank}"},
    {"ranks {ranks}", "ranks", "all ranks", ""},
    {"GPU {gpu}", "gpu", "the GPU in question", ""},
    {"{host}", "host", "the host in question", ""},
    {"{op} #{seq}", "seq", "the failing call", ""},
    {"{communicator}", "communicator", "its communicator", ""},
};

void replace_all(std::string* text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text->find(what, at)) != std::string::npos; at += by.size()) {
    text->replace(at, what.size(), by);
  }
}

}  // namespace

std::string fill_phrases(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string worded(text);
  for (const PhraseRow& row : kPhrases) {
    const auto at = values.find(std::string(row.placeholder));
    if (at == values.end()) continue;
    if (at->second.empty()) {
      replace_all(&worded, row.phrase, row.unknown);
    } else if (!row.several.empty() && at->second.find_first_of("-,") != std::string::npos) {
      replace_all(&worded, row.phrase, row.several);
    }
  }
  return fill_placeholders(worded, values);
}

std::string fill_placeholders(std::string_view text,
                              const std::map<std::string, std::string>& values) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return out.append(text);
    out.append(text.substr(0, open));
    const auto at = values.find(std::string(text.substr(open + 1, close - open - 1)));
    if (at == values.end()) {
      out.append(text.substr(open, close - open + 1));
    } else {
      out.append(at->second.empty() ? "unknown" : at->second);
    }
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace firstfault
