// Takes the layers of prefixes off a physical line.
#pragma once
#include <string_view>
#include <vector>

#include "model/speaker.h"
#include "model/stamp.h"
#include "parser/lines/line.h"

namespace firstfault {

// What the prefixes of one piece said about who speaks; merged into a stream's Speaker by the fold.
struct PrefixFacts {
  Speaker speaker;  // only what the prefixes state
  Stamp stamp;
  bool has_label = false;  // torchrun/mpirun/srun/rank label: names a stream
};

struct Piece {
  LineView view;
  PrefixFacts facts;
};

// Splits a physical line at glued anchors and strips each piece.
void strip_prefixes(std::string_view line, std::uint64_t offset, std::uint32_t number,
                    SourceKind kind, std::vector<Piece>* out);

}  // namespace firstfault
