// Cuts decoded bytes into lines, and lines at '\r': a progress bar redraws itself with '\r' for
// megabytes without a newline, and the error that ends the job is glued to its end.
//
//   LineCutter cutter([](const LinePart& part) { ... });
//   cutter.add("12%\r13%\r[rank0]:[E1201 ...\nnext");
//   bool torn = cutter.finish();   // true: "next" has no newline; four parts, three of them line 1
//
// Time is linear and memory bounded by kLongest however long a line is; what exceeds it is dropped
// and counted. CRLF counts as one line end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace firstfault {

struct LinePart {
  std::string_view text;     // without its end; at most LineCutter::kLongest bytes
  std::uint64_t offset = 0;  // of text in the decoded bytes
  std::uint32_t number = 0;  // of the physical line, from 1
  bool continues = false;    // not the first part of its line
};

class LineCutter {
 public:
  static constexpr std::size_t kLongest = 64u << 10;
  using Use = std::function<void(const LinePart&)>;

  explicit LineCutter(Use use) : use_(std::move(use)) {}
  void add(std::string_view bytes);
  // Gives out an unfinished line; whether there was one.
  bool finish();

  std::uint32_t lines() const { return number_; }    // with an unfinished one after finish()
  std::uint64_t cut_parts() const { return cuts_; }  // parts longer than kLongest

 private:
  void part(std::string_view bytes, char end);
  void keep(std::string_view bytes);

  Use use_;
  std::string kept_;           // beginning of a part that went on in the next window
  std::uint64_t dropped_ = 0;  // bytes of that part which are not in kept_
  std::uint64_t offset_ = 0;   // of the current part
  std::uint32_t number_ = 0;   // of the last physical line that ended
  std::uint64_t cuts_ = 0;
  bool inside_ = false;  // the current physical line has given out a part
  bool open_ = false;    // the current physical line has any byte
};

}  // namespace firstfault
