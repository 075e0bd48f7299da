#include "timeline/source_names.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/text.h"

namespace firstfault {

std::string common_root(const std::vector<std::string>& folders) {
  if (folders.empty()) return "";
  std::vector<std::string_view> common = split(folders.front(), '/');
  while (!common.empty() && common.back().empty()) common.pop_back();
  for (const std::string& folder : folders) {
    const std::vector<std::string_view> parts = split(folder, '/');
    std::size_t same = 0;
    while (same < common.size() && same < parts.size() && common[same] == parts[same]) ++same;
    common.resize(same);
  }
  std::string out;
  for (std::size_t i = 0; i < common.size(); ++i) {
    if (i > 0) out += '/';
    out += common[i];
  }
  return out;
}

SourceNames::SourceNames(const Facts& facts) : root(common_root(facts.roots)) {
  std::map<std::string_view, int> uses;
  for (const SourceFacts& source : facts.sources) ++uses[source.info.path];
  for (const SourceFacts& source : facts.sources) {
    std::string name = relative(source.info.path);
    if (uses[source.info.path] > 1) {
      std::string digits = hex(source.info.content_hash).substr(2);
      digits.insert(0, 16 - std::min<std::size_t>(16, digits.size()), '0');
      name += "~" + digits.substr(0, 8);
    }
    file.push_back(std::move(name));
  }
  std::vector<std::uint32_t> order(file.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return file[a] < file[b]; });
  position.resize(file.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
}

std::string SourceNames::relative(std::string_view path) const {
  if (path.size() > root.size() && path.substr(0, root.size()) == root &&
      (path[root.size()] == '/' || root.empty())) {
    path.remove_prefix(root.size());
    while (!path.empty() && path.front() == '/') path.remove_prefix(1);
    return std::string(path);
  }
  if (path == root) return std::string(base_name(path));
  return std::string(path);
}

}  // namespace firstfault
