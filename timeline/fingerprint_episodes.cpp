// DETAIL mode: each report names two ranks and their calls. All reports together vote: the side
// that differs from the majority is accused; without a majority both sides are.
#include <algorithm>
#include <map>
#include <tuple>

#include "timeline/episode_maker.h"

namespace firstfault {

namespace {

using Call = std::tuple<std::int64_t, OpKind, std::string, std::string, std::string, std::string>;

Call call_of(const FingerprintMismatch::Side& side) {
  return {side.seq, side.kind, side.op_type, side.shape, side.dtype, side.device};
}

// "AllGather float32 [1024]"
std::string describe(const FingerprintMismatch::Side& side) {
  std::string out = side.op_type;
  if (!side.dtype.empty()) out += " " + side.dtype;
  if (!side.shape.empty()) out += " " + side.shape;
  return out;
}

struct Mismatch {                                           // one attempt and communicator
  std::map<std::int32_t, FingerprintMismatch::Side> sides;  // by global rank
  RankSet reporters;
  // The vote.
  RankSet accused;
  const FingerprintMismatch::Side *here = nullptr, *there = nullptr;  // minority, majority
  std::int64_t seq = -1;
  bool decided = false;

  void vote();
};

void Mismatch::vote() {
  std::map<Call, RankSet> votes;
  for (const auto& [rank, side] : sides) votes[call_of(side)].insert(rank);
  std::size_t most = 0, holders = 0;
  for (const auto& [call, ranks] : votes) {
    if (ranks.size() > most) holders = 0;
    most = std::max(most, ranks.size());
    if (ranks.size() == most) ++holders;
  }
  decided = holders == 1;
  for (const auto& [rank, side] : sides) {
    if (side.seq >= 0) seq = seq < 0 ? side.seq : std::min(seq, side.seq);
    const bool majority = decided && votes[call_of(side)].size() == most;
    if (!majority) accused.insert(rank);
    const FingerprintMismatch::Side*& shown = majority ? there : here;
    if (shown == nullptr) shown = &side;
  }
}

}  // namespace

void EpisodeMaker::fingerprints() {
  struct Report {
    Place at;
    std::int32_t group = -1;
  };
  std::map<std::pair<std::int32_t, std::int32_t>, Mismatch> mismatches;
  std::vector<Report> reports;
  const auto& sources = scene_.facts.sources;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    for (const RecordItem& item : sources[s].records) {
      const auto* fp = std::get_if<FingerprintMismatch>(&item.record);
      if (fp == nullptr) continue;
      const Place at{s, &item, scene_.said(s, item)};
      const std::int32_t g =
          groups_.of_group_rank(at.said.attempt, at.said.rank, fp->reporter.group_rank);
      Mismatch& m = mismatches[{at.said.attempt, g}];
      const bool identity = g < 0 && fp->reporter.group_rank == at.said.rank;
      for (const FingerprintMismatch::Side* side : {&fp->reporter, &fp->other}) {
        std::int32_t rank = groups_.global_rank(at.said.attempt, g, side->group_rank);
        if (rank < 0 && identity) rank = side->group_rank;
        if (side == &fp->reporter && at.said.rank >= 0) rank = at.said.rank;
        if (rank >= 0) m.sides.try_emplace(rank, *side);
      }
      if (at.said.rank >= 0) m.reporters.insert(at.said.rank);
      reports.push_back({at, g});
    }
  }
  for (auto& [key, m] : mismatches) {
    const auto& [attempt, g] = key;
    m.vote();
    for (const auto& [rank, side] : m.sides) {
      DetailCall call;
      call.attempt = attempt;
      call.group = g;
      call.rank = rank;
      call.seq = side.seq;
      call.cell.known = call.cell.issued = true;
      call.cell.source = OpSource::detail;
      call.cell.seq = side.seq;
      call.cell.signature.kind = side.kind;
      call.cell.signature.raw = side.op_type;
      call.cell.signature.shape = side.shape;
      const std::string_view dtype = dtype_from_torch(side.dtype);
      call.cell.signature.dtype = dtype.empty() ? side.dtype : std::string(dtype);
      for (const Report& report : reports) {
        if (report.at.said.rank == rank && report.group == g) {
          add_evidence(&call.cell.evidence,
                       scene_.evidence(report.at.source, report.at.item->quote));
        }
      }
      detail_calls_.push_back(std::move(call));
    }
  }
  for (const Report& report : reports) {
    const auto& fp = std::get<FingerprintMismatch>(report.at.item->record);
    const Mismatch& m = mismatches[{report.at.said.attempt, report.group}];
    Episode e;
    e.cls = "coll.fingerprint_mismatch";
    e.reporter = m.reporters.empty()
                     ? subject_of(scene_, report.at.said)
                     : subject_of_ranks(scene_, report.at.said.attempt, m.reporters);
    e.about = subject_of_ranks(scene_, report.at.said.attempt, m.accused);
    e.communicator = Groups::id(
        report.group >= 0 ? report.group
                          : static_cast<std::int32_t>(groups_.of(report.at.said.attempt).size()));
    e.seq = m.seq >= 0 ? m.seq : fp.reporter.seq;
    e.joined_by_guess = report.at.said.guess;
    e.captures.push_back(make_capture("here", describe(m.here ? *m.here : fp.reporter)));
    e.captures.push_back(make_capture("there", describe(m.there ? *m.there : fp.other)));
    e.captures.push_back(make_capture("decided", m.decided ? "majority" : "tie"));
    add(report.at, std::move(e));
  }
}

}  // namespace firstfault
