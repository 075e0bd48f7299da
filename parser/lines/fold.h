// The sequential fold over the lines of one text source: keeps one stream per speaker, runs the
// line parsers and the signatures, folds repetitions, bounds unstamped items by their neighbours'
// times.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/facts.h"
#include "parser/lines/line_cutter.h"
#include "parser/lines/prefix.h"
#include "parser/match/line_matcher.h"

namespace firstfault {

class Fold {
 public:
  Fold(SourceInfo info, const LineMatcher& matcher);
  ~Fold();
  // Parts of lines in order (parser/lines/line_cutter.h).
  void part(const LinePart& part);
  SourceFacts finish(std::uint64_t bytes, std::uint64_t lines, bool ends_in_mid_line);

 private:
  struct Stream;
  struct Sink;
  Stream& stream_of(const PrefixFacts& facts);
  void piece(Piece& piece);

  SourceFacts out_;
  const LineMatcher& matcher_;
  std::uint32_t number_ = 0;
  PrefixFacts line_label_;  // of the first part of the current physical line
  std::vector<std::unique_ptr<Stream>> streams_;
  std::map<std::string, std::size_t> by_label_;  // "p3|host:543" -> stream
  std::size_t current_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace firstfault
