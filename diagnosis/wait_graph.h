// Who waits for whom: pending operations and the ranks that they lack, over all communicators.
//
// A pending operation was issued by some members and completed by none of those. It waits for
// members that have not issued it (lacking), and for members whose GPU is still at an earlier
// operation (behind). Only an operation that can be the first pending one of a rank holds that rank
// up. Following the waits ends in sinks: a rank that waits for nothing itself (the host code of a
// culprit), an operation that every member has reached (a stall), or a circle (a deadlock).
//
//   rank 1 -> AllReduce #30 on tp0 -> rank 0, which has nothing pending: sink {rank 0}
//
// COLL lines tell what was issued, never what was completed: alone they make an operation pending
// only where a member is known to lack it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "model/job.h"

namespace firstfault {

struct PendingOp {
  std::size_t communicator = 0, slot = 0;  // indices into the attempt
  RankSet waiting;                         // issued it, not completed
  RankSet lacking;                         // known not to have issued it before the cut
  RankSet unseen;                          // members of whom nothing tells
  RankSet passed;                          // completed it
  bool all_members_known = true;
  Interval since;  // issue by the first that waits
};

struct Sink {
  enum class Kind : std::uint8_t { rank, operation, circle };
  Kind kind = Kind::rank;
  RankSet ranks;                 // rank: that one; circle: its ranks; operation: empty
  bool known = true;             // rank: it is known not to have issued what others wait for
  std::vector<std::size_t> ops;  // rank: operations that lack it, earliest first; else the members
  bool head_sure = true;  // operation: it is the first pending one of every rank that waits in it
};

class WaitGraph {
 public:
  explicit WaitGraph(const Attempt& attempt);

  const std::vector<PendingOp>& ops() const { return ops_; }
  const std::vector<Sink>& sinks() const { return sinks_; }  // in order of kind, then ranks
  // The operation that held the rank up, or that it should have issued first of those that lack it;
  // nothing if no pending operation concerns it. By the order in which a peer issued both, else by
  // the rank's own past (next_call.h), else by time.
  std::optional<std::size_t> first_unfinished(std::int32_t rank) const;
  // Ranks that wait in an operation that this rank has not issued.
  RankSet waiters_of(std::int32_t rank) const;
  // Issued something after the communicators had been given up: it was alive and working.
  bool went_on(std::int32_t rank) const { return went_on_.contains(rank); }
  bool left(std::int32_t rank) const { return left_.contains(rank); }
  const std::vector<Evidence>& store_evidence() const { return store_evidence_; }
  // Waits through the store or inside the set-up of a communicator: waiter -> the ranks waited for.
  const std::map<std::int32_t, RankSet>& store_waits() const { return store_waits_; }

 private:
  bool late(const Cell& cell) const;
  bool undated(const Cell& cell) const;
  void find_cut();
  void find_pending();
  void add_slot(std::size_t communicator, std::size_t slot);
  void find_heads();
  void find_store_waits();
  void find_sinks();
  Interval issued_at(std::size_t op, std::int32_t rank) const;
  bool peers_say_before(std::size_t a, std::size_t b) const;

  const Attempt& attempt_;
  Interval cut_;  // of the first communicator that was given up
  std::vector<PendingOp> ops_;
  std::map<std::int32_t, std::vector<std::size_t>> heads_;  // operations that may hold the rank up
  std::map<std::int32_t, RankSet> store_waits_;
  RankSet went_on_, left_, dumped_;
  std::vector<Sink> sinks_;
  std::vector<Evidence> store_evidence_;
};

}  // namespace firstfault
