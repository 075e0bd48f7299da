// Ledger: who issued and who completed which collective of a communicator, how well that is known,
// read at the cut.
//
// Numbers are c10d's (seq_kind c10d, or fr when only dumps tell them); COLL lines are shifted to
// them where the operations of both prove the shift. Without either, a collective's own 1-based
// index on its communicator counts (own_index).
//
// Kept slots: the last 64, every slot where members differ (up to 64), and the surroundings of the
// frontier; at most 256.
#pragma once

#include <vector>

#include "model/job.h"
#include "timeline/group_words.h"
#include "timeline/groups.h"
#include "timeline/rank_table.h"

namespace firstfault {

// One Communicator for each group of the attempt, in the same order ("c0" is
// groups.of(attempt)[0]). `mixed_nccl`: ranks run NCCL versions that print counts in different
// units.
std::vector<Communicator> make_ledger(const Scene& scene, const Groups& groups, const Words& words,
                                      const RankTable& ranks, std::int32_t attempt,
                                      bool mixed_nccl);

}  // namespace firstfault
