// The NCCL prefix that the lines of one process share.
//
// Most lines of a rank's log begin with the same bytes, "node-1:4711:4711 [3] NCCL INFO ",
// launcher's label included. What strip_prefixes once made of such a line holds for every other one
// with the same beginning, as long as nothing else is glued to it and no time stands in the prefix.
#pragma once

#include <string>

#include "parser/lines/line_part.h"
#include "parser/lines/prefix.h"

namespace firstfault {

class NcclHead {
 public:
  // Remembers the beginning of a line if it is one of these.
  void learn(const LinePart& line, const std::vector<Piece>& pieces);
  bool known() const { return !head_.empty(); }
  // Does the line begin so? Tells nothing about what follows.
  bool begins(std::string_view text) const { return known() && text.starts_with(head_); }
  std::size_t size() const { return head_.size(); }
  // As strip_prefixes, for a line that begins so; false when it may be glued to another.
  bool strip(const LinePart& line, std::vector<Piece>* pieces) const;
  // What strip() makes of it, for a line known to be whole.
  void take(const LinePart& line, Piece* piece) const;

 private:
  std::string head_;
  Piece piece_;
};

}  // namespace firstfault
