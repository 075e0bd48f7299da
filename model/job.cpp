#include "model/job.h"

#include <algorithm>

namespace firstfault {

const RankInfo* Attempt::rank(std::int32_t r) const {
  auto at =
      std::lower_bound(ranks.begin(), ranks.end(), r,
                       [](const RankInfo& info, std::int32_t rank) { return info.rank < rank; });
  return at != ranks.end() && at->rank == r ? &*at : nullptr;
}

const Communicator* Attempt::communicator(std::string_view id) const {
  auto at = std::find_if(communicators.begin(), communicators.end(),
                         [&](const Communicator& c) { return c.id == id; });
  return at == communicators.end() ? nullptr : &*at;
}

}  // namespace firstfault
