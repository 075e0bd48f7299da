// torchrun's agent: exits, signals, the ChildFailedError block (torch 1.13 to 2.14).
#pragma once
#include <optional>

#include "parser/lines/line.h"

namespace firstfault {

class TorchelasticLines : public LineParser {
 public:
  std::span<const Gate> gates() const override;
  bool open() const override { return block_ != Block::none; }
  bool feed(const LineView& line, FactSink& sink) override;
  void finish(FactSink&) override {}

 private:
  bool block_line(const LineView& line, FactSink& sink);
  enum class Block { none, failures, root };
  Block block_ = Block::none;
  std::uint32_t block_lines_ = 0;
  RankPlacement place_;
};

std::string signal_name(int number);  // 9 -> "SIGKILL", unknown: "signal 99"

}  // namespace firstfault
