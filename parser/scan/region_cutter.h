// Cuts decoded bytes, given in windows of any size, into regions of whole lines without copying
// more of them than what stands at the seams.
//
//   RegionCutter cutter([](const Region& region) { ... });
//   cutter.add("12%\r13%\r[rank0]:[E1201 ...\nnext");
//   cutter.finish();            // gives out "next", which has no end
//
// Memory is bounded by kLongest however long a line is. What the walk over regions sees (parts,
// and kContext bytes in front of each) does not depend on where windows end.
#pragma once

#include <functional>
#include <string>

#include "parser/scan/region.h"

namespace firstfault {

class RegionCutter {
 public:
  using Use = std::function<void(const Region&)>;

  explicit RegionCutter(Use use) : use_(std::move(use)) {}
  void add(std::string_view bytes);
  void finish();

  std::uint64_t cut_parts() const { return cuts_; }        // parts longer than kLongest
  bool ends_in_mid_line() const { return last_ != '\n'; }  // of the bytes so far

 private:
  void joint(std::string_view bytes);
  void overlong(char end);

  Use use_;
  std::string seam_;       // what is given out at a seam
  std::string history_;    // the last bytes given out
  std::string carry_;      // beginning of a part that goes on in the next window
  bool dropping_ = false;  // the part in carry_ is longer than kLongest
  std::uint64_t dropped_ = 0;
  std::uint64_t offset_ = 0;  // of carry_
  std::uint64_t cuts_ = 0;
  char last_ = '\n';
};

}  // namespace firstfault
