// Makes a Document from a stream of values, for readers of pickle and JSON: a stack of values,
// marks on it, and containers that take over what stands above a mark.
//
//   builder.open(ValueKind::list, 0); builder.mark();
//   builder.push_integer(7);
//   builder.close_mark(3);              // the list below the mark now holds 7 and ends at byte 3
//
// Every call costs time proportional to the values it moves; each value is moved at most once. A
// call that breaks a limit or the structure sets error() and is ignored, and so are all later ones.
#pragma once

#include <string>

#include "parser/dumps/document.h"

namespace firstfault {

class DocumentBuilder {
 public:
  // `text` is what text offsets refer to; it must outlive the document unless own_text() is used.
  DocumentBuilder(std::string_view text, const DumpLimits& limits);

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  void fail(std::string message);

  void push(const Value& v) {
    if (++doc_.counters_.nodes > limits_.nodes) return too_many_nodes();
    stack_.push_back(v);
  }
  void push_none() { push(Value{}); }
  void push_integer(std::int64_t v) {
    push({ValueKind::integer, 0, static_cast<std::uint64_t>(v)});
  }
  void push_boolean(bool v) { push({ValueKind::boolean, 0, v ? 1u : 0u}); }
  void push_real(double v);
  void push_text(std::uint64_t offset, std::uint64_t length);

  void open(ValueKind kind, std::uint64_t begin);  // pushes a new empty container
  void mark();
  // Moves what stands above the last mark into the container below it, which then ends at `end`.
  void close_mark(std::uint64_t end);
  // The container takes over the top `count` values of the stack and becomes the new top.
  void wrap_list(std::uint32_t count, std::uint64_t begin, std::uint64_t end);
  void wrap_marked(std::uint64_t begin, std::uint64_t end);
  // Pops `count` values and adds them to the container that is then on top.
  void add_to_top(std::uint32_t count, std::uint64_t end);

  const Value* top() const { return stack_.size() > base() ? &stack_.back() : nullptr; }
  void drop_top() { stack_.pop_back(); }  // requires top() != nullptr
  std::string& own_text() { return doc_.own_text_; }
  DumpCounters& counters() { return doc_.counters_; }

  // The value of the whole input: exactly one value and no mark may be left.
  Result<Document> finish();
  // The input ended early: hands what stands above each mark to its container and returns the
  // bottom container; an error if the input ended before one was opened.
  Result<Document> finish_truncated();

 private:
  std::size_t base() const { return marks_.empty() ? 0 : marks_.back(); }
  void too_many_nodes();
  void append(Value container, std::size_t from, std::uint64_t end, bool closed);
  Document take(bool truncated);

  DumpLimits limits_;
  Document doc_;
  std::vector<Value> stack_;
  std::vector<std::uint32_t> marks_;  // stack heights
  std::string error_;
};

}  // namespace firstfault
