// Walks over regions and shows the fold the lines that are worth a look:
//   - those that hold a word of the vocabulary,
//   - the first kHead lines of the source and the last few,
//   - what follows while a line parser is open, and what stands in front of a gate that wants it,
//   - around an item without a time, up to StampSearch::kReach lines that may tell it.
// Every other line only counts. Which lines are shown does not depend on how the source is cut into
// regions.
#pragma once

#include <string>
#include <vector>

#include "parser/lines/fold.h"
#include "parser/lines/nccl_head.h"
#include "parser/scan/region.h"
#include "parser/scan/stamp_search.h"
#include "parser/scan/vocabulary.h"

namespace firstfault {

class LineWalk {
 public:
  static constexpr std::uint64_t kHead = 64;

  LineWalk(SourceInfo info, const Vocabulary& vocabulary, const LineMatcher& matcher);
  void region(const Region& region);
  SourceFacts finish(std::uint64_t bytes, bool ends_in_mid_line);

 private:
  using Hits = std::span<const LiteralScanner::Hit>;
  struct Range {
    std::size_t begin, end;
  };
  // Walks from pos_ to `to`; hits count from `base`.
  void walk(Hits hits, std::size_t base, std::size_t to);
  void scan(std::size_t to);
  // Operations of NCCL are most of some logs, line after line: taken without a scan.
  void take_operations();
  bool take_operation();
  // The part that begins at `begin`, whose end is looked for from `from` on.
  Range part_at(std::size_t begin, std::size_t from) const;
  Range part_of(std::size_t hit_end) const;
  Hits hits_in(Range part, Hits* rest) const;
  void strip(const LinePart& line, std::vector<Piece>* pieces);
  void show(Range part, Hits hits);
  void show_earlier(std::size_t begin, bool one, bool stamp);
  // The whole line in front of the part at `begin`; false when there is none within reach.
  bool line_before(std::size_t begin, std::size_t limit, Range* line) const;
  LinePart line_part(Range part);
  std::string_view line_head(std::size_t begin);
  std::uint32_t number_of(std::size_t position);

  const Vocabulary& vocabulary_;
  Fold fold_;
  StampSearch stamps_;
  LiteralScanner::Scratch scratch_;
  std::vector<LiteralScanner::Hit> hits_;
  std::vector<FoldHit> fold_hits_;
  std::vector<Piece> pieces_, earlier_pieces_;

  Region region_;
  std::size_t hits_base_ = 0;
  NcclHead head_;
  std::uint64_t operation_bytes_ = 0;  // of the lines in the region that were operations
  bool mostly_operations_ = false;     // the region in front was
  std::size_t pos_ = 0;                // in region_: everything in front is done
  std::size_t counted_ = 0;            // in region_: newlines in front are in newlines_
  std::uint64_t newlines_ = 0;
  std::uint64_t shown_ = 0;     // parts
  std::uint64_t shown_to_ = 0;  // offset behind the last part that was shown
  std::size_t headed_ = 0;      // in region_: line_head_ holds here
  std::size_t head_from_ = 0;   // in region_: line_head_ begins here or behind
  std::string_view line_head_;
  std::string open_head_;  // first part of the physical line that the region began within
  std::string tail_;       // the last bytes of the source so far
  std::uint64_t tail_offset_ = 0;
};

}  // namespace firstfault
