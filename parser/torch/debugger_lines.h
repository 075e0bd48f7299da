// What CUDA's own tools print about the first GPU exception of a process: progress of a GPU core
// dump, cuda-gdb's words, the CUDA error log (CUDA_LOG_FILE, 12.9+); and how torch's spawn tells of
// dead children.
#pragma once
#include <optional>

#include "parser/lines/line.h"

namespace firstfault {

class DebuggerLines : public LineParser {
 public:
  std::span<const Gate> gates() const override;
  bool open() const override { return exception_.has_value(); }
  bool feed(const LineView& line, FactSink& sink) override;
  void finish(FactSink& sink) override;

 private:
  void begin(const LineView& line, std::string_view name, FactSink& sink);

  std::optional<GpuException> exception_;
  std::uint32_t lines_ = 0;
  LineView first_;
  std::string first_text_;
};

}  // namespace firstfault
