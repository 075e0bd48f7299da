#include "model/facts.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace firstfault {

namespace {

constexpr std::string_view kKindNames[] = {
    "unknown",       "rank_log",        "launcher_log", "nccl_log",      "kernel_log",
    "scheduler_log", "flight_recorder", "error_json",   "ras_status",    "sanitizer",
    "cuda_log",      "gpu_core",        "host_core",    "node_snapshot", "empty",
};

auto key(const SourceFacts& s) { return std::tie(s.info.path, s.info.content_hash); }

template <typename T>
void sort_unique(std::vector<T>& v) {
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
}

}  // namespace

std::string_view source_kind_name(SourceKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

void Facts::merge(Facts other) {
  sources.insert(sources.end(), std::make_move_iterator(other.sources.begin()),
                 std::make_move_iterator(other.sources.end()));
  std::sort(sources.begin(), sources.end(),
            [](const SourceFacts& a, const SourceFacts& b) { return key(a) < key(b); });
  sources.erase(
      std::unique(sources.begin(), sources.end(),
                  [](const SourceFacts& a, const SourceFacts& b) { return key(a) == key(b); }),
      sources.end());
  skipped.insert(skipped.end(), other.skipped.begin(), other.skipped.end());
  sort_unique(skipped);
  roots.insert(roots.end(), other.roots.begin(), other.roots.end());
  sort_unique(roots);
}

}  // namespace firstfault
