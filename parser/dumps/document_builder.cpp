#include "parser/dumps/document_builder.h"

#include <bit>
#include <utility>

namespace firstfault {

DocumentBuilder::DocumentBuilder(std::string_view text, const DumpLimits& limits)
    : limits_(limits) {
  doc_.text_ = text;
  if (text.size() > limits.bytes) {
    fail("larger than " + std::to_string(limits.bytes) + " bytes");
    return;
  }
  // Measured on real dumps: one value in 2.5 to 6 bytes, one container in 16 to 40.
  doc_.take_spare_buffers();
  doc_.values_.reserve(text.size() / 6);
  doc_.containers_.reserve(text.size() / 40);
}

void DocumentBuilder::fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
}

void DocumentBuilder::too_many_nodes() {
  fail("more than " + std::to_string(limits_.nodes) + " values");
}

void DocumentBuilder::push_real(double v) {
  push({ValueKind::real, 0, std::bit_cast<std::uint64_t>(v)});
}

void DocumentBuilder::push_text(std::uint64_t offset, std::uint64_t length) {
  if (length > limits_.text) {
    fail("a string is longer than " + std::to_string(limits_.text) + " bytes");
    return;
  }
  push({ValueKind::text, static_cast<std::uint32_t>(length), offset});
}

void DocumentBuilder::open(ValueKind kind, std::uint64_t begin) {
  Document::Container c;
  c.begin = static_cast<std::uint32_t>(begin);
  c.end = c.begin + 1;
  c.closed = true;  // an empty container is complete until a mark opens it again
  doc_.containers_.push_back(c);
  push({kind, 0, doc_.containers_.size() - 1});
}

void DocumentBuilder::mark() {
  if (marks_.size() >= limits_.depth) {
    fail("nested deeper than " + std::to_string(limits_.depth) + " levels");
    return;
  }
  marks_.push_back(static_cast<std::uint32_t>(stack_.size()));
}

void DocumentBuilder::append(Value container, std::size_t from, std::uint64_t end, bool closed) {
  Document::Container& c = doc_.containers_[container.container()];
  const auto count = static_cast<std::uint32_t>(stack_.size() - from);
  const auto first = static_cast<std::uint32_t>(doc_.values_.size());
  doc_.values_.insert(doc_.values_.end(), stack_.begin() + static_cast<std::ptrdiff_t>(from),
                      stack_.end());
  stack_.resize(from);
  doc_.counters_.moved += count;
  c.closed = closed;
  if (end > c.end) c.end = static_cast<std::uint32_t>(end);
  c.total += count;
  if (count == 0) return;
  if (c.count == 0) {
    c.first = first;
    c.count = count;
  } else if (c.more == Document::kNone && c.first + c.count == first) {
    c.count += count;
  } else {
    const auto segment = static_cast<std::uint32_t>(doc_.segments_.size());
    doc_.segments_.push_back({first, count, Document::kNone});
    (c.more == Document::kNone ? c.more : doc_.segments_[c.last].next) = segment;
    c.last = segment;
  }
}

void DocumentBuilder::close_mark(std::uint64_t end) {
  if (marks_.empty()) return fail("items without a mark");
  const std::size_t from = marks_.back();
  marks_.pop_back();
  if (from <= base()) return fail("items without a container");
  const Value target = stack_[from - 1];
  const bool pairs = target.is(ValueKind::dict);
  if (!pairs && !target.is(ValueKind::list)) return fail("items for a value that is no container");
  if (pairs && (stack_.size() - from) % 2 != 0) return fail("a key without a value");
  append(target, from, end, true);
}

void DocumentBuilder::wrap_list(std::uint32_t count, std::uint64_t begin, std::uint64_t end) {
  if (stack_.size() < base() + count) return fail("the stack is empty");
  open(ValueKind::list, begin);
  if (!ok()) return;
  const Value list = stack_.back();
  stack_.pop_back();
  append(list, stack_.size() - count, end, true);
  stack_.push_back(list);
}

void DocumentBuilder::wrap_marked(std::uint64_t begin, std::uint64_t end) {
  if (marks_.empty()) return fail("a tuple without a mark");
  const std::size_t from = marks_.back();
  marks_.pop_back();
  wrap_list(static_cast<std::uint32_t>(stack_.size() - from), begin, end);
}

void DocumentBuilder::add_to_top(std::uint32_t count, std::uint64_t end) {
  if (stack_.size() < base() + count + 1) return fail("the stack is empty");
  const std::size_t from = stack_.size() - count;
  const Value target = stack_[from - 1];
  const ValueKind wanted = count == 2 ? ValueKind::dict : ValueKind::list;
  if (!target.is(wanted)) return fail("an item for a value that is no container");
  append(target, from, end, true);
}

Document DocumentBuilder::take(bool truncated) {
  doc_.root_ = stack_.front();
  doc_.truncated_ = truncated;
  if (!doc_.own_text_.empty()) doc_.text_ = doc_.own_text_;
  return std::move(doc_);
}

Result<Document> DocumentBuilder::finish() {
  if (ok() && (stack_.size() != 1 || !marks_.empty())) fail("it ends with an unfinished value");
  if (!ok()) return Error{error_};
  return take(false);
}

Result<Document> DocumentBuilder::finish_truncated() {
  if (!ok()) return Error{error_};
  if (const Value* last = top(); last != nullptr && doc_.closed(*last) && doc_.size(*last) == 0 &&
                                 (last->is(ValueKind::list) || last->is(ValueKind::dict))) {
    doc_.containers_[last->container()].closed = false;  // its items were to follow
  }
  while (!marks_.empty()) {
    const std::size_t from = marks_.back();
    marks_.pop_back();
    if (from <= base()) {  // a tuple that was not finished
      stack_.resize(from);
      continue;
    }
    const Value target = stack_[from - 1];
    if (!target.is(ValueKind::list) && !target.is(ValueKind::dict)) {
      stack_.resize(from);
      continue;
    }
    if (target.is(ValueKind::dict) && (stack_.size() - from) % 2 != 0) stack_.pop_back();
    append(target, from, doc_.counters_.bytes, false);
  }
  if (stack_.empty() || !(stack_[0].is(ValueKind::dict) || stack_[0].is(ValueKind::list))) {
    return Error{"it ends before the first container"};
  }
  stack_.resize(1);
  return take(true);
}

}  // namespace firstfault
