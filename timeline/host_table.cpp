#include "timeline/host_table.h"

#include <algorithm>

#include "base/text.h"

namespace firstfault {

namespace {

std::string short_name(std::string_view name) {
  if (looks_like_address(name)) return std::string(name);
  return std::string(name.substr(0, name.find('.')));
}

}  // namespace

bool looks_like_address(std::string_view name) {
  if (name.empty()) return false;
  if (std::count(name.begin(), name.end(), ':') >= 2) return true;
  return name.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::count(name.begin(), name.end(), '.') == 3;
}

bool is_anonymous_host(std::string_view name) {
  if (name.empty() || name == "localhost" || name == "::1" || name == "0.0.0.0" || name == "::") {
    return true;
  }
  return name.substr(0, 10) == "localhost." ||
         (looks_like_address(name) && name.substr(0, 4) == "127.");
}

std::string bare_address(std::string_view text) {
  text = trim(text);
  if (const std::size_t angle = text.find('<'); angle != std::string_view::npos) {
    text = text.substr(0, angle);
  }
  if (!text.empty() && text.front() == '[') {  // "[10.0.0.2]:80"
    const std::size_t close = text.find(']');
    text = close == std::string_view::npos ? text.substr(1) : text.substr(1, close - 1);
  }
  if (const std::size_t percent = text.find('%'); percent != std::string_view::npos) {
    text = text.substr(0, percent);
  }
  if (std::count(text.begin(), text.end(), ':') == 1) {  // "eth0:10.0.0.5" or "node-b:80"
    const std::size_t colon = text.find(':');
    const std::string_view behind = text.substr(colon + 1);
    text = parse_int<int>(behind) ? text.substr(0, colon) : behind;
  }
  while (!text.empty() && text.front() == '/') text.remove_prefix(1);
  return std::string(trim(text));
}

void HostTable::add_host(std::string_view name) {
  if (is_anonymous_host(name) || looks_like_address(name)) return;
  std::string cut = short_name(name);
  if (cut.empty()) return;
  if (cut != name) long_names_[cut].insert(std::string(name));
  names_.insert(std::move(cut));
}

void HostTable::add_address(std::string_view host, std::string_view address) {
  const std::string name = canonical(host);
  const std::string bare = bare_address(address);
  if (name.empty() || is_anonymous_host(bare) || !looks_like_address(bare)) return;
  owners_[bare].insert(name);
}

std::string HostTable::canonical(std::string_view printed) const {
  if (is_anonymous_host(printed)) return "";
  const auto owner = owners_.find(std::string(printed));
  if (owner != owners_.end() && owner->second.size() == 1) return *owner->second.begin();
  return short_name(printed);
}

std::string HostTable::host_of(std::string_view peer) const {
  const std::string bare = bare_address(peer);
  if (is_anonymous_host(bare)) return "";
  const auto owner = owners_.find(bare);
  if (owner != owners_.end()) {
    return owner->second.size() == 1 ? *owner->second.begin() : std::string();
  }
  const std::string name = short_name(bare);
  return names_.contains(name) ? name : std::string();
}

std::vector<Host> HostTable::hosts() const {
  std::vector<Host> out;
  for (const std::string& name : names_) {
    Host host;
    host.name = name;
    if (const auto at = long_names_.find(name); at != long_names_.end()) {
      host.aliases.assign(at->second.begin(), at->second.end());
    }
    for (const auto& [address, owners] : owners_) {
      if (owners.size() == 1 && owners.contains(name)) host.aliases.push_back(address);
    }
    std::sort(host.aliases.begin(), host.aliases.end());
    out.push_back(std::move(host));
  }
  return out;
}

}  // namespace firstfault
