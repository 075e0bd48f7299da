// Lines of training scripts and GPU tools: progress, versions, sanitizer blocks.
#pragma once
#include <optional>

#include "parser/lines/line.h"

namespace firstfault {

class ProgramLines : public LineParser {
 public:
  std::span<const Gate> gates() const override;
  bool feed(const LineView& line, FactSink& sink) override;
  void finish(FactSink& sink) override;

 private:
  std::optional<GpuException> open_;
  LineView first_;
  std::string first_text_;
};

}  // namespace firstfault
