#include "parser/lines/nccl_head.h"

namespace firstfault {

void NcclHead::learn(const LinePart& line, const std::vector<Piece>& pieces) {
  if (pieces.size() != 1) return;
  const Piece& piece = pieces.front();
  if (piece.view.layer != Layer::nccl || piece.facts.stamp.clock != Clock::none ||
      piece.view.whole.size() != line.text.size() || !line.head.empty() ||
      piece.view.text.data() == line.text.data())
    return;
  const std::string_view head =
      line.text.substr(0, static_cast<std::size_t>(piece.view.text.data() - line.text.data()));
  // A place in the code differs from line to line.
  if (!piece.view.code_file.empty() || head == head_) return;
  head_ = head;
  piece_ = piece;
  piece_.view.whole = piece_.view.text = piece_.view.level = {};
}

void NcclHead::take(const LinePart& line, Piece* piece) const {
  *piece = piece_;
  piece->view.whole = line.text;
  piece->view.text = line.text.substr(head_.size());
  piece->view.offset = line.offset;
  piece->view.number = line.number;
  const std::size_t level = head_.find_last_of(' ', head_.size() - 2) + 1;
  piece->view.level = line.text.substr(level, head_.size() - 1 - level);
}

bool NcclHead::strip(const LinePart& line, std::vector<Piece>* pieces) const {
  if (head_.empty() || !line.head.empty() || !begins(line.text)) return false;
  const std::string_view rest = line.text.substr(head_.size() - 1);
  if (rest.find(" NCCL ") != std::string_view::npos || rest.find("[rank") != std::string_view::npos)
    return false;
  pieces->resize(1);
  take(line, &pieces->front());
  return true;
}

}  // namespace firstfault
