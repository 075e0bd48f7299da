// What the members of one communicator tell about their operations, under common numbers, and which
// of these numbers are worth a slot.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/group_words.h"
#include "timeline/groups.h"
#include "timeline/op_agreement.h"
#include "timeline/rank_table.h"

namespace firstfault {

// Everything one member tells about its operations on the communicator.
struct MemberView {
  std::int32_t rank = -1;
  std::optional<FrView> fr;
  FrRows entries;
  std::int64_t proven_up_to = -1;  // last number that is completed and retired
  std::vector<std::pair<std::uint32_t, CollRows>> coll;  // (source, rows), fullest first
  bool coll_usable = false;      // its indices can be laid on the communicator's numbers
  bool coll_to_the_end = false;  // later words of the process follow the last COLL line
  std::int64_t status_enqueued = -1, status_completed = -1;
  std::vector<Evidence> status_evidence;

  std::int64_t last_entry() const { return entries.empty() ? -1 : entries.back().seq; }
};

class MemberViews {
 public:
  MemberViews(const Group& group, const GroupWords& words, const RankTable& ranks, bool mixed_nccl);

  const std::vector<MemberView>& all() const { return members_; }  // ascending rank
  SeqKind seq_kind() const;
  bool c10d_usable() const { return c10d_usable_; }  // c10d's numbers are those of the slots
  bool shifted() const { return shifted_; }          // COLL indices were laid on c10d's numbers
  std::int64_t shift() const { return shift_; }

  // The COLL row of a number and its source; absent if the member's log has none.
  std::optional<OpRow> coll_at(const MemberView& m, std::int64_t seq, std::uint32_t* source) const;
  std::int64_t coll_last(const MemberView& m) const;
  std::set<std::int64_t> choose_slots() const;
  std::int64_t unseen_difference() const;  // as Communicator::unseen_difference

 private:
  void collect();
  void align();
  bool ends_in_order(std::int32_t rank) const;
  // Of each number in [oldest, newest]: do members that tell it differ?
  std::vector<bool> differing(std::int64_t oldest, std::int64_t newest) const;
  MemberView* member(std::int32_t rank);

  const Group& group_;
  const GroupWords& words_;
  const RankTable& ranks_;
  const bool mixed_nccl_;
  std::vector<MemberView> members_;
  bool any_fr_ = false, any_coll_ = false, c10d_spoke_ = false;
  bool c10d_usable_ = true;
  bool shifted_ = false;
  std::int64_t shift_ = 0;
};

}  // namespace firstfault
