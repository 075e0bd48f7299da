// NCCL communicators as single processes see them: one instance for each Init of a comm pointer.
//
// A pointer is reused after destroy, so an instance holds from its Init line to the next Init of
// the same pointer in the same process. `key` is equal on all members of one communicator: made
// from commId, or from the parent's key, split count and colour where NCCL prints no commId (2.23+
// children), or from the order of the largest communicators where it never does (before 2.16).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/facts.h"

namespace firstfault {

struct CommInstance {
  std::uint32_t source = 0, speaker = 0;  // indices into Facts::sources, SourceFacts::speakers
  std::uint64_t offset = 0;               // of its first Init line
  std::uint64_t comm = 0;
  std::int32_t comm_rank = -1, nranks = 0;
  std::optional<std::uint64_t> hash;
  std::uint64_t key = 0;  // 0: cannot be matched with other processes
  bool complete = false;  // Init COMPLETE was seen
  std::string pci;
  std::int32_t cuda_device = -1;
  Stamp stamp;
};

// In order of (source, offset).
std::vector<CommInstance> comm_instances(const Facts& facts);

// The instance that `comm` means at `offset` of that speaker; nullptr if no Init line was seen.
const CommInstance* instance_at(const std::vector<CommInstance>& instances, std::uint32_t source,
                                std::uint32_t speaker, std::uint64_t comm, std::uint64_t offset);

}  // namespace firstfault
