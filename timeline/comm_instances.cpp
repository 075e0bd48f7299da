#include "timeline/comm_instances.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/hash.h"

namespace firstfault {

namespace {

std::uint64_t nonzero(std::uint64_t value) { return value == 0 ? 1 : value; }

// The latest instance of a pointer in one speaker, and how many of each size it has opened.
struct SpeakerState {
  std::map<std::uint64_t, std::size_t> latest;    // comm pointer -> index of its instance
  std::map<std::int32_t, std::uint64_t> of_size;  // nranks -> communicators opened
  std::map<std::uint64_t, std::uint64_t>
      children;  // parent key -> splits seen (2.23.4 has no count)
};

std::uint64_t make_key(const CommInit& init, std::int32_t largest, SpeakerState* state,
                       const std::vector<CommInstance>& made) {
  if (init.comm_hash) return nonzero(hash_combine(1, *init.comm_hash));
  if (init.parent) {
    const auto parent = state->latest.find(*init.parent);
    if (parent == state->latest.end() || made[parent->second].key == 0) return 0;
    const std::uint64_t parent_key = made[parent->second].key;
    const std::uint64_t nth = ++state->children[parent_key];
    const std::uint64_t split =
        init.split_count >= 0 ? static_cast<std::uint64_t>(init.split_count) : hash_combine(7, nth);
    return nonzero(hash_combine(hash_combine(hash_combine(2, parent_key), split),
                                static_cast<std::uint64_t>(init.color)));
  }
  const std::uint64_t nth = ++state->of_size[init.nranks];
  if (init.nranks != largest) return 0;
  return nonzero(hash_combine(hash_combine(3, static_cast<std::uint64_t>(init.nranks)), nth));
}

}  // namespace

std::vector<CommInstance> comm_instances(const Facts& facts) {
  std::int32_t largest = 0;
  for (const SourceFacts& source : facts.sources) {
    for (const RecordItem& item : source.records) {
      if (const auto* init = std::get_if<CommInit>(&item.record)) {
        largest = std::max(largest, init->nranks);
      }
    }
  }
  std::vector<CommInstance> out;
  for (std::uint32_t s = 0; s < facts.sources.size(); ++s) {
    std::map<std::uint32_t, SpeakerState> states;
    for (const RecordItem& item : facts.sources[s].records) {
      const auto* init = std::get_if<CommInit>(&item.record);
      if (init == nullptr || init->nranks <= 0 || init->rank < 0 || init->rank >= init->nranks) {
        continue;
      }
      SpeakerState& state = states[item.speaker];
      if (const auto at = state.latest.find(init->comm); at != state.latest.end()) {
        CommInstance& open = out[at->second];
        const bool same = open.comm_rank == init->rank && open.nranks == init->nranks &&
                          (!init->comm_hash || !open.hash || *init->comm_hash == *open.hash);
        if (same && !open.complete && init->complete) {  // START, then COMPLETE
          open.complete = true;
          if (!open.hash && init->comm_hash) {
            open.hash = init->comm_hash;
            open.key = nonzero(hash_combine(1, *init->comm_hash));
          }
          continue;
        }
      }
      CommInstance instance;
      instance.source = s;
      instance.speaker = item.speaker;
      instance.offset = item.quote.offset;
      instance.comm = init->comm;
      instance.comm_rank = init->rank;
      instance.nranks = init->nranks;
      instance.hash = init->comm_hash;
      instance.key = make_key(*init, largest, &state, out);
      instance.complete = init->complete;
      instance.pci = init->pci;
      instance.cuda_device = init->cuda_device;
      instance.stamp = item.first;
      state.latest[init->comm] = out.size();
      out.push_back(std::move(instance));
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const CommInstance& a, const CommInstance& b) {
    return std::tie(a.source, a.offset) < std::tie(b.source, b.offset);
  });
  return out;
}

const CommInstance* instance_at(const std::vector<CommInstance>& instances, std::uint32_t source,
                                std::uint32_t speaker, std::uint64_t comm, std::uint64_t offset) {
  const CommInstance* found = nullptr;
  const CommInstance* first = nullptr;
  auto at = std::partition_point(instances.begin(), instances.end(),
                                 [&](const CommInstance& c) { return c.source < source; });
  for (; at != instances.end() && at->source == source; ++at) {
    if (at->speaker != speaker || at->comm != comm) continue;
    if (first == nullptr) first = &*at;
    if (at->offset <= offset) found = &*at;
  }
  return found != nullptr ? found : first;
}

}  // namespace firstfault
