// What cuda-gdb prints about a faulting kernel, and the driver's words while it writes a GPU core
// dump: both name exception, place and address even when the dump itself is lost.
//
//   CUDA Exception: Warp Illegal Address
//   The exception was triggered at PC 0x7f98877a0df0  deep(float*, long)  (k.cu:4)
//   Thread 1 "app" received signal CUDA_EXCEPTION_14, Warp Illegal Address.
//   [14:33:46.480509] coredump: Detected an exception of type CUDBG_EXCEPTION_WARP_ILLEGAL_ADDRESS
//   (14)
//
// Format: recorded with cuda-gdb 13.0 and driver 580 (samples/gpu_core/cuda-gdb.txt).
#pragma once

#include <optional>
#include <string>

#include "parser/lines/line.h"

namespace firstfault {

// One GpuException for each report. A focus alone ("[Current focus set to ...") is none.
class DebuggerLines : public LineParser {
 public:
  std::span<const Gate> gates() const override;
  bool open() const override { return report_.has_value(); }
  bool feed(const LineView& line, FactSink& sink) override;
  void finish(FactSink& sink) override;

 private:
  struct Form;
  static const Form kForms[];

  void begin(const LineView& line);
  void place(const LineView& line);  // the line that a report will be quoted by

  // Each reads the rest of a line behind its opening words.
  void opening(std::string_view rest);
  void focus(std::string_view rest);
  void exception(std::string_view rest);
  void triggered(std::string_view rest);
  void frame(std::string_view rest);
  void signal(std::string_view rest);
  void assertion(std::string_view rest);
  void trap(std::string_view rest);
  void detected(std::string_view rest);
  void device(std::string_view rest);
  void sm(std::string_view rest);
  void pc(std::string_view rest);

  std::optional<GpuException> report_;
  bool signalled_ = false;
  int lines_left_ = 0;
  LineView first_;
  std::string first_text_;
};

}  // namespace firstfault
