#include "parser/dumps/document.h"

#include <bit>
#include <utility>

#include "base/text.h"

namespace firstfault {

Children::Children(const Document* doc, std::uint32_t container) : doc_(doc) {
  if (doc == nullptr) return;
  const Document::Container& c = doc->containers_[container];
  at_ = c.first;
  left_ = c.count;
  segment_ = c.more;
}

const Value* Children::next() {
  while (left_ == 0) {
    if (doc_ == nullptr || segment_ == Document::kNone) return nullptr;
    const Document::Segment& s = doc_->segments_[segment_];
    at_ = s.first;
    left_ = s.count;
    segment_ = s.next;
  }
  --left_;
  return &doc_->values_[at_++];
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

namespace {
bool is_container(const Value& v) { return v.is(ValueKind::list) || v.is(ValueKind::dict); }
}  // namespace

Children Document::children(const Value& v) const {
  return is_container(v) ? Children(this, v.container()) : Children(nullptr, 0);
}

std::uint32_t Document::size(const Value& v) const {
  return is_container(v) ? containers_[v.container()].total : 0;
}

bool Document::closed(const Value& v) const {
  return !is_container(v) || containers_[v.container()].closed;
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
