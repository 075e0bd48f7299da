#include "parser/dumps/document.h"

#include <bit>
#include <utility>

#include "base/text.h"

namespace firstfault {

bool Children::next_run() {
  while (left_ == 0) {
    if (doc_ == nullptr || segment_ == Document::kNone) return false;
    const Document::Segment& s = doc_->segments_[segment_];
    at_ = doc_->values_.data() + s.first;
    left_ = s.count;
    segment_ = s.next;
  }
  return true;
}

// One thread reads thousands of dumps: what the last one used is warm and large enough already.
struct Document::Spare {
  static constexpr std::size_t kBytes = 64u << 20;  // kept for each thread

  std::vector<Value> values;
  std::vector<Container> containers;

  static Spare& of_this_thread() {
    thread_local Spare spare;
    return spare;
  }
};

void Document::take_spare_buffers() {
  Spare& spare = Spare::of_this_thread();
  values_.swap(spare.values);
  containers_.swap(spare.containers);
}

Document::~Document() {
  const std::size_t bytes =
      values_.capacity() * sizeof(Value) + containers_.capacity() * sizeof(Container);
  Spare& spare = Spare::of_this_thread();
  if (bytes > Spare::kBytes || values_.capacity() <= spare.values.capacity()) return;
  values_.clear();
  containers_.clear();
  values_.swap(spare.values);
  containers_.swap(spare.containers);
}

Document::Document(Document&& other) noexcept { *this = std::move(other); }

Document& Document::operator=(Document&& other) noexcept {
  const bool owned = !other.own_text_.empty();
  root_ = other.root_;
  truncated_ = other.truncated_;
  counters_ = other.counters_;
  own_text_ = std::move(other.own_text_);
  text_ = owned ? std::string_view(own_text_) : other.text_;
  values_ = std::move(other.values_);
  containers_ = std::move(other.containers_);
  segments_ = std::move(other.segments_);
  return *this;
}

std::optional<std::int64_t> Document::number(const Value& v) const {
  switch (v.kind) {
    case ValueKind::integer:
    case ValueKind::boolean:
      return v.integer();
    case ValueKind::text:
      return parse_int<std::int64_t>(text(v));
    case ValueKind::real: {
      const double d = std::bit_cast<double>(v.bits);
      if (!(d > -9.0e18 && d < 9.0e18)) return std::nullopt;  // also not-a-number
      const auto whole = static_cast<std::int64_t>(d);
      if (static_cast<double>(whole) != d) return std::nullopt;
      return whole;
    }
    default:
      return std::nullopt;
  }
}

std::uint64_t Document::begin(const Value& v) const {
  return is_container(v) ? containers_[v.container()].begin : 0;
}

std::uint64_t Document::end(const Value& v) const {
  return is_container(v) ? containers_[v.container()].end : 0;
}

const Value* Document::find(const Value& dict, std::string_view key) const {
  const Value* found = nullptr;
  if (!dict.is(ValueKind::dict)) return found;
  Children pairs = children(dict);
  while (const Value* k = pairs.next()) {
    const Value* v = pairs.next();
    if (v != nullptr && k->is(ValueKind::text) && text(*k) == key) found = v;
  }
  return found;
}

}  // namespace firstfault
