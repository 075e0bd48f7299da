// A structured dump (pickle or JSON) as a flat arena: values are 16 bytes and hold no pointers, so
// a file that contains itself, or nests a million lists, can neither loop nor overflow a reader's
// stack.
//
//   Result<Document> doc = read_pickle(bytes);
//   for (Children pairs = doc->children(doc->root()); auto key = pairs.next();) {
//     Value value = *pairs.next();                        // a dict's children are key, value, key,
//     value if (doc->text(*key) == "entries") ...
//   }
//
// Invariants: every container index of a value is valid; a dict has an even number of children;
// text offsets lie within the text. Containers may be shared and may contain themselves: a consumer
// follows a fixed schema and never walks "everything below".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace firstfault {

enum class ValueKind : std::uint8_t { none, boolean, integer, real, text, list, dict };

struct Value {
  ValueKind kind = ValueKind::none;
  std::uint32_t length = 0;  // text: bytes
  std::uint64_t bits = 0;    // integer, real (IEEE), text offset or container index

  bool is(ValueKind k) const { return kind == k; }
  std::int64_t integer() const { return static_cast<std::int64_t>(bits); }  // requires integer
  std::uint32_t container() const { return static_cast<std::uint32_t>(bits); }
};

// Bounds that hold for any input. The defaults leave room for 100 times the largest ring buffer in
// use (2,000 operations, 60 values each).
struct DumpLimits {
  std::uint64_t bytes = 1u << 30;  // of the input
  std::uint64_t nodes = 8u << 20;  // values in containers and on the stack, over the whole reading
  std::uint64_t memo = 4u << 20;   // entries of a pickle's memo
  std::uint32_t depth = 64;        // containers open at the same time
  std::uint32_t text = 1u << 20;   // bytes of one string
};

// Work done, for tests that prove it linear.
struct DumpCounters {
  std::uint64_t opcodes = 0;  // pickle opcodes or JSON events
  std::uint64_t nodes = 0;    // values made
  std::uint64_t bytes = 0;    // input bytes consumed
  std::uint64_t moved = 0;    // values moved from the stack into containers
};

class Document;

// Forward cursor over the children of one container.
class Children {
 public:
  // nullptr at the end
  const Value* next() {
    if (left_ == 0 && !next_run()) return nullptr;
    --left_;
    return at_++;
  }

 private:
  friend class Document;
  explicit Children(const Document* doc) : doc_(doc) {}
  const Document* doc_;  // nullptr: no children
  bool next_run();

  const Value* at_ = nullptr;
  std::uint32_t left_ = 0, segment_ = 0;
};

class Document {
 public:
  const Value& root() const { return root_; }
  // True when the input ended early; containers hold what was complete.
  bool truncated() const { return truncated_; }
  const DumpCounters& counters() const { return counters_; }

  // "" for a value that is not text.
  std::string_view text(const Value& v) const {
    return v.is(ValueKind::text) ? text_.substr(v.bits, v.length) : std::string_view();
  }
  // Integers, also when written as decimal text or as a whole real number; true and false are 1 and
  // 0.
  std::optional<std::int64_t> number(const Value& v) const;

  // Children of a list or dict; none for other values.
  Children children(const Value& v) const {
    if (!is_container(v)) return Children(nullptr);
    const Container& c = containers_[v.container()];
    Children out(this);
    out.at_ = values_.data() + c.first;
    out.left_ = c.count;
    out.segment_ = c.more;
    return out;
  }
  // Number of children (two a pair for a dict).
  std::uint32_t size(const Value& v) const {
    return is_container(v) ? containers_[v.container()].total : 0;
  }
  // False: the input ended inside this container.
  bool closed(const Value& v) const {
    return !is_container(v) || containers_[v.container()].closed;
  }
  std::uint64_t begin(const Value& v) const;  // input offset of the container's first byte
  std::uint64_t end(const Value& v) const;    // behind its last byte
  std::size_t container_count() const { return containers_.size(); }
  // Value of the last pair with this key; nullptr if none or not a dict. Linear in the dict's size.
  const Value* find(const Value& dict, std::string_view key) const;

 private:
  friend class Children;
  friend class DocumentBuilder;
  struct Spare;
  void take_spare_buffers();
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static bool is_container(const Value& v) {
    return v.is(ValueKind::list) || v.is(ValueKind::dict);
  }

  struct Container {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t first = 0, count = 0;        // the first run of children in values_
    std::uint32_t more = kNone, last = kNone;  // further runs, in segments_
    std::uint32_t total = 0;
    bool closed = false;
  };
  struct Segment {
    std::uint32_t first = 0, count = 0, next = kNone;
  };

  Value root_;
  bool truncated_ = false;
  std::string_view text_;
  std::string own_text_;  // JSON only: unescaped strings
  std::vector<Value> values_;
  std::vector<Container> containers_;
  std::vector<Segment> segments_;
  DumpCounters counters_;

 public:
  Document() = default;
  ~Document();  // its buffers serve this thread's next document
  Document(Document&& other) noexcept;
  Document& operator=(Document&& other) noexcept;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
};

}  // namespace firstfault
