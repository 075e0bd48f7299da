// Stacks that faulthandler and py-spy print: where a process stood. Frames are innermost first, of
// the current thread, else of the main thread (py-spy names it, faulthandler prints it last).
//
//   Fatal Python error: Segmentation fault        Process 4242: python train.py
//                                                 Python v3.12.3 (/usr/bin/python3.12)
//   Current thread 0x00007f00 (most recent call first):
//     File "/work/train.py", line 17 in main      Thread 4242 (active+gil): "MainThread"
//                                                     wait (torch/cuda/streams.py:12)
#pragma once
#include <optional>

#include "parser/lines/line.h"

namespace firstfault {

class StackLines : public LineParser {
 public:
  std::span<const Gate> gates() const override;
  bool open() const override { return snapshot_.has_value(); }
  bool feed(const LineView& line, FactSink& sink) override;
  void finish(FactSink& sink) override;

 private:
  void begin(const LineView& line, FactSink& sink);
  bool thread_line(std::string_view t);

  std::optional<StackSnapshot> snapshot_;
  bool chosen_ = false;  // the thread that counts has been seen
  bool collecting_ = false;
  std::uint32_t lines_ = 0;
  LineView first_;
  std::string first_text_;
};

}  // namespace firstfault
