// The sequential fold over those lines of one text source that are worth a look (parser/scan):
// keeps one stream per speaker, runs the line parsers and the signatures, folds repetitions, bounds
// unstamped items by their neighbours' times.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/facts.h"
#include "parser/lines/line_part.h"
#include "parser/lines/prefix.h"
#include "parser/lines/speaker_index.h"
#include "parser/match/line_matcher.h"
#include "parser/nccl/coll_line.h"
#include "parser/scan/vocabulary.h"

namespace firstfault {

// A word of the vocabulary in a part.
struct FoldHit {
  std::size_t end;  // in LinePart::text
  const Vocabulary::Meaning* meaning;
};

class Fold {
 public:
  Fold(SourceInfo info, const LineMatcher& matcher);
  ~Fold();
  // Parts of lines in order, with what strip_prefixes made of them and the words that they hold.
  void part(const LinePart& part, std::vector<Piece>& pieces, std::span<const FoldHit> hits);
  // An operation that stands on a line which NcclHead::take took apart: as part() does, without a
  // look at anything else.
  void operation(Piece& piece, const CollLine& line);
  // What the last line said, when it was given to operation().
  void last_line(std::string_view whole);
  // A line parser is open: the next line is wanted whatever it holds.
  bool open() const { return open_streams_ > 0; }
  SourceFacts finish(std::uint64_t bytes, std::uint64_t lines, bool ends_in_mid_line);

 private:
  struct Stream;
  struct Sink;
  Stream& stream_of(const PrefixFacts& facts);
  Stream& find_stream(const PrefixFacts& facts);
  void set_stamp(Stream& stream, Piece& piece);
  void piece(Piece& piece, std::size_t begin, std::span<const FoldHit> hits);

  SourceFacts out_;
  const LineMatcher& matcher_;
  std::uint32_t number_ = 0;
  std::string last_line_;   // as it stands there
  PrefixFacts line_label_;  // of the physical line line_label_number_
  std::uint32_t line_label_number_ = 0;
  std::vector<std::unique_ptr<Stream>> streams_;
  SpeakerIndex index_;  // of streams
  std::map<std::string, std::size_t> by_label_;  // "p3|host:543" -> stream
  std::size_t current_ = 0;
  PrefixFacts last_said_;
  Stream* last_stream_ = nullptr;  // of last_said_
  std::size_t open_streams_ = 0;
  std::vector<Piece> label_pieces_;
  std::vector<std::uint32_t> held_;
};

}  // namespace firstfault
