// Puts Python tracebacks together, line by line, for one speaker.
#pragma once
#include <optional>

#include "parser/lines/line.h"

namespace firstfault {

class TracebackLines : public LineParser {
 public:
  std::span<const Gate> gates() const override;
  bool open() const override { return state_ != State::outside; }
  bool feed(const LineView& line, FactSink& sink) override;
  void finish(FactSink& sink) override;

 private:
  // `ended`: the message is complete, but a chained traceback may follow.
  enum class State { outside, frames, message, ended };
  void close(FactSink& sink);

  State state_ = State::outside;
  std::uint32_t lines_ = 0;  // of the traceback so far
  bool logged_ = false;      // behind a logger's line: caught, not fatal
  bool previous_was_log_ = false;
  ExceptionReport open_;
  LineView type_line_;  // text views are not used after the line
  std::string type_text_;
};

}  // namespace firstfault
