#include "rules/placeholders.h"

namespace firstfault {

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
