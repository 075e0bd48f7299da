// One physical line with its layers of prefixes taken off, and the sink that line parsers write to.
//
// A line of a real file carries layers: srun's "3: ", mpirun's "[1,3]<stderr>:", torchrun's
// "[default3]:", a time, "[rank3]:", c10d's "[E1201 03:44:59.594968084 ProcessGroupNCCL.cpp:689] ",
// NCCL's "host:pid:tid [dev] NCCL INFO ". Each layer is a fact about who speaks and when
// (parser/lines/prefix.h strips them); `text` is what is left. A glued line is cut into several
// LineViews at every NCCL or c10d anchor inside it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/event.h"
#include "model/facts.h"

namespace firstfault {

enum class Layer : std::uint8_t { plain, nccl, c10d, python_logging };

struct LineView {
  std::string_view text;     // behind all prefixes
  std::string_view whole;    // the physical line without its newline (or this piece of a glued one)
  std::uint64_t offset = 0;  // of `whole` in decoded bytes of the source
  std::uint32_t number = 0;  // 1-based physical line

  Layer layer = Layer::plain;  // the innermost prefix that was taken off
  // nccl: INFO, WARN, TRACE ...; c10d and python_logging: one letter I, W, E, F, V, C
  std::string_view level;
  std::string_view code_file;  // "misc/socket.cc", "ProcessGroupNCCL.cpp"; "" none
  std::int32_t code_line = 0;
  std::int64_t tid = -1;     // nccl
  std::int32_t device = -1;  // nccl: the "[0]"
  bool excepthook = false;   // carried "[rankN]: " (with the blank): a Python traceback line

  std::uint32_t speaker = 0;  // index into SourceFacts::speakers
  Stamp stamp;                // printed, or neighbours once known (the fold fills it later)
};

// Where line parsers put what they found. Implemented by the stream fold (parser/lines/fold.h),
// which adds speaker, stamp and quote of the current line.
class FactSink {
 public:
  virtual ~FactSink() = default;
  // A record that stands on the current line.
  virtual void add(Record record) = 0;
  // A record that began on an earlier line: `first` is that line's place.
  virtual void add_from(const LineView& first, Record record) = 0;
  virtual void add_operation(std::uint64_t comm, std::int32_t nranks, OpRow row) = 0;
  // The speaker of the current line turns out to have these identities too (NCCL prefix: host,
  // pid).
  virtual const Speaker& speaker() const = 0;
};

// A literal that makes a line worth a parser's look.
struct Gate {
  // What else is wanted: of a `plain` line without a time, the lines around it that may tell it;
  // of a `dense` one (there may be millions) just the next lines; of a `timeless` one none;
  // `before`: as plain, and the line in front.
  enum class Use : std::uint8_t { plain, dense, timeless, before };
  std::string_view literal;  // at least 4 bytes
  Use use = Use::plain;
};

// A parser of one family of lines. One instance per stream (a stream is one speaker in one source),
// so it may keep state between the lines of that speaker (tracebacks, return trails, paired lines).
//
// Most lines of a log are never shown to a parser: only those that hold one of its gates, those
// that come while it is open(), and some around lines that interest others. So a line without a
// gate must leave a parser that is not open as it was, and yield nothing that a verdict needs.
class LineParser {
 public:
  virtual ~LineParser() = default;
  virtual std::span<const Gate> gates() const = 0;
  // Lines that follow belong to something begun, whatever they hold. Must end by itself within a
  // bounded number of lines.
  virtual bool open() const { return false; }
  // Returns true if it recognised the line as its own (for counting what nothing recognised).
  virtual bool feed(const LineView& line, FactSink& sink) = 0;
  // The stream is over: give out what is still open (an unfinished traceback).
  virtual void finish(FactSink& sink) = 0;
};

}  // namespace firstfault
