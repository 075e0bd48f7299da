// What was said about each group: time-outs, failures, states, aborts, dump signals; and the cut
// that follows from it.
//
// The cut of a communicator is the earliest moment at which something on it was given up: a
// watchdog's time-out (when it fired, not when it was printed), an abort, a dump signal to a
// member, the death of a member. What a rank issued after the cut says nothing about the failure.
// An abort by a process that ends in good order is no cut: PyTorch aborts what was not destroyed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "timeline/groups.h"
#include "timeline/rank_table.h"

namespace firstfault {

struct FailureWord {
  const WorkFailure* failure = nullptr;
  std::int32_t rank = -1;
  Interval time;
  Evidence evidence;
};

struct StatusWord {
  const GroupStatus* status = nullptr;
  std::int32_t rank = -1;
  Interval time;
  Evidence evidence;
};

struct EndWord {
  CommEnd::How how = CommEnd::How::destroy;
  std::int32_t rank = -1;
  Interval time;
};

struct GroupWords {
  std::vector<FailureWord> failures;
  std::vector<StatusWord> statuses;
  std::vector<EndWord> ends;
};

struct Cut {
  Interval time;
  std::string by;  // as Communicator::cut_by
  bool timed_out = false;
  RankSet waiting;
};

class Words {
 public:
  Words(const Scene& scene, const Groups& groups, const RankTable& ranks);

  const GroupWords& of(std::int32_t attempt, std::size_t group) const {
    return words_[attempt][group];
  }
  // When a rank was told to dump its state: the time its Flight Recorder dump is from. unknown() if
  // nothing tells.
  Interval dump_time(std::int32_t attempt, std::int32_t rank) const;
  Cut cut(std::int32_t attempt, std::size_t group) const;

 private:
  const Scene& scene_;
  const Groups& groups_;
  const RankTable& ranks_;
  std::vector<std::vector<GroupWords>> words_;                              // [attempt][group]
  std::map<std::pair<std::int32_t, std::int32_t>, Interval> dump_signals_;  // (attempt, rank)
  std::map<std::pair<std::int32_t, std::int32_t>, Interval> deaths_;
};

}  // namespace firstfault
