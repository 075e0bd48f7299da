// Ends of processes as their own tools tell them: the CUDA error log (CUDA_LOG_FILE, 12.9 on) and
// torch.multiprocessing's spawn.
#pragma once

#include "parser/lines/line.h"

namespace firstfault {

class ProcessLines : public LineParser {
 public:
  std::span<const Gate> gates() const override;
  bool feed(const LineView& line, FactSink& sink) override;
  void finish(FactSink&) override {}
};

}  // namespace firstfault
