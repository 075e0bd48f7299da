// Writing and reading Facts through one description per struct, so that the two cannot drift:
//
//   template <class Archive> void fields(Archive& a, Version& x) {
//     auto& [component, value] = x;      // a field added to the struct does not compile until it
//     is here a(component, value);
//   }
//
// A description may take the element before it in a sequence, to store differences:
//   fields(a, OpRow& x, const OpRow& before) { ... a.delta(offset, before.offset); ... }
//
// Encoding (docs/formats/digest.md): numbers are LEB128, signed ones zigzag; a string is its length
// and bytes, or the number of an earlier one. The reader trusts nothing: it never makes more
// elements than bytes are left, and after the first error() every further read gives zeros.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/rank_set.h"

namespace firstfault::digest {

// The last value of each enumeration that may stand in a file; specialised in enums.h.
template <class E>
inline constexpr E kLastOf = E{};

// Strings of these lengths are stored once and then named by number.
inline constexpr std::size_t kSharedMin = 3, kSharedMax = 128;
inline constexpr std::size_t kSharedCount = 1u << 20;
// A repeated string takes one byte of the file; all of them together may take this many times its
// size. No struct has so many strings and so few other fields that an honest file comes near.
inline constexpr std::uint64_t kMaxRepeat = 64;

inline bool is_shared(std::size_t length, std::size_t known) {
  return length >= kSharedMin && length <= kSharedMax && known < kSharedCount;
}

constexpr std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>((v >> 1) ^ (~(v & 1) + 1));
}

class Writer {
 public:
  static constexpr bool kReading = false;

  template <class... T>
  void operator()(T&... values);
  // A number close to `base`.
  template <class T>
  void delta(T& value, T base) {
    number(zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) -
                                            static_cast<std::uint64_t>(base))));
  }

  void number(std::uint64_t v) {
    while (v >= 0x80) {
      out_.push_back(static_cast<char>(v | 0x80));
      v >>= 7;
    }
    out_.push_back(static_cast<char>(v));
  }
  void text(const std::string& s) {
    if (auto at = shared_.find(s); at != shared_.end()) return number(at->second << 1 | 1);
    number(std::uint64_t{s.size()} << 1);
    out_ += s;
    if (is_shared(s.size(), shared_.size())) shared_.emplace(s, shared_.size());
  }
  std::string& bytes() { return out_; }

 private:
  std::string out_;
  std::unordered_map<std::string, std::uint64_t> shared_;
};

class Reader {
 public:
  static constexpr bool kReading = true;

  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... values);
  template <class T>
  void delta(T& value, T base) {
    const std::uint64_t wide =
        static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(unzigzag(number()));
    value = static_cast<T>(wide);
    if (static_cast<std::uint64_t>(value) != wide) fail("a number that does not fit");
  }

  std::uint64_t number() {
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      if (shift == 63 && byte > 1) break;
      v |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return v;
    }
    fail("an unfinished number");
    return 0;
  }
  std::string text() {
    const std::uint64_t head = number();
    if (!ok()) return {};
    if ((head & 1) != 0) {
      if (head >> 1 >= shared_.size()) {
        fail("a string number that was not given out");
        return {};
      }
      const std::string& s = shared_[head >> 1];
      repeated_ += s.size();
      if (repeated_ / kMaxRepeat > bytes_.size() + (1u << 16)) fail("strings repeated without end");
      return s;
    }
    const std::uint64_t length = head >> 1;
    if (length > left()) {
      fail("a string longer than the file");
      return {};
    }
    std::string s(bytes_.substr(at_, length));
    at_ += length;
    if (is_shared(s.size(), shared_.size())) shared_.push_back(s);
    return s;
  }
  // Number of elements that follow, each at least one byte long.
  std::uint64_t count() {
    const std::uint64_t n = number();
    if (n <= left()) return n;
    fail("more elements than bytes");
    return 0;
  }

  std::uint64_t left() const { return bytes_.size() - at_; }
  std::uint64_t offset() const { return at_; }
  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  void fail(std::string_view what) {
    if (!ok()) return;
    error_ = std::string(what) + " at byte " + std::to_string(at_);
    at_ = bytes_.size();
  }

 private:
  std::string_view bytes_;
  std::uint64_t at_ = 0;
  std::uint64_t repeated_ = 0;  // bytes of strings named by number
  std::vector<std::string> shared_;
  std::string error_;
};

template <class T>
inline constexpr bool kIsSequence = false;
template <class T>
inline constexpr bool kIsSequence<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsSequence<std::deque<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVariant = false;
template <class... T>
inline constexpr bool kIsVariant<std::variant<T...>> = true;

template <class A, class T>
concept TakesBefore = requires(A& a, T& x, const T& before) {
  fields(a, x, before);
};

template <class A, class T>
void value(A& a, T& x);

// The next element of a sequence; `before` is the one in front of it, or a fresh one.
template <class A, class T>
void element(A& a, T& x, const T& before) {
  if constexpr (TakesBefore<A, T>) {
    fields(a, x, before);
  } else {
    value(a, x);
  }
}

template <class A, class S>
void sequence(A& a, S& s) {
  const typename S::value_type fresh{};
  if constexpr (A::kReading) {
    s.clear();
    const std::uint64_t n = a.count();
    for (std::uint64_t i = 0; i < n && a.ok(); ++i) {
      s.emplace_back();
      element(a, s.back(), i == 0 ? fresh : s[i - 1]);
    }
  } else {
    a.number(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) element(a, s[i], i == 0 ? fresh : s[i - 1]);
  }
}

template <std::size_t I = 0, class V>
void make_alternative(V& v, std::uint64_t index) {
  if constexpr (I < std::variant_size_v<V>) {
    if (index == I) {
      v.template emplace<I>();
    } else {
      make_alternative<I + 1>(v, index);
    }
  }
}

template <class A, class V>
void alternative(A& a, V& v) {
  if constexpr (A::kReading) {
    const std::uint64_t index = a.number();
    if (index >= std::variant_size_v<V>) return a.fail("an unknown kind of record");
    make_alternative(v, index);
  } else {
    a.number(v.index());
  }
  std::visit([&a](auto& x) { value(a, x); }, v);
}

// Ascending numbers, stored as distances.
template <class A>
void ranks(A& a, RankSet& set) {
  if constexpr (A::kReading) {
    std::vector<std::int32_t> out;
    const std::uint64_t n = a.count();
    for (std::uint64_t i = 0; i < n && a.ok(); ++i) {
      std::int32_t rank = 0;
      a.delta(rank, i == 0 ? 0 : out.back());
      if (i != 0 && rank <= out.back()) a.fail("ranks out of order");
      out.push_back(rank);
    }
    set = RankSet(std::move(out));
  } else {
    a.number(set.size());
    std::int32_t before = 0;
    for (std::int32_t rank : set) {
      a.delta(rank, before);
      before = rank;
    }
  }
}

template <class A, class T>
void integral(A& a, T& x) {
  if constexpr (A::kReading) {
    const std::uint64_t raw = a.number();
    const std::uint64_t wide =
        std::is_signed_v<T> ? static_cast<std::uint64_t>(unzigzag(raw)) : raw;
    x = static_cast<T>(wide);
    if (static_cast<std::uint64_t>(x) != wide) a.fail("a number that does not fit");
  } else {
    a.number(std::is_signed_v<T> ? zigzag(static_cast<std::int64_t>(x))
                                 : static_cast<std::uint64_t>(x));
  }
}

// A small number of [0, last].
template <class A, class T>
void bounded(A& a, T& x, T last) {
  if constexpr (A::kReading) {
    const std::uint64_t v = a.number();
    if (v > static_cast<std::uint64_t>(last)) return a.fail("a value that has no meaning");
    x = static_cast<T>(v);
  } else {
    a.number(static_cast<std::uint64_t>(x));
  }
}

template <class A, class T>
void value(A& a, T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    bounded(a, x, true);
  } else if constexpr (std::is_enum_v<T>) {
    static_assert(kLastOf<T> != T{}, "name the last value of this enumeration in digest/enums.h");
    bounded(a, x, kLastOf<T>);
  } else if constexpr (std::is_integral_v<T>) {
    integral(a, x);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if constexpr (A::kReading) {
      x = a.text();
    } else {
      a.text(x);
    }
  } else if constexpr (std::is_same_v<T, RankSet>) {
    ranks(a, x);
  } else if constexpr (kIsSequence<T>) {
    sequence(a, x);
  } else if constexpr (kIsVariant<T>) {
    alternative(a, x);
  } else if constexpr (kIsOptional<T>) {
    bool there = x.has_value();
    bounded(a, there, true);
    if constexpr (A::kReading) {
      x.reset();
      if (there) x.emplace();
    }
    if (there) value(a, *x);
  } else {
    fields(a, x);
  }
}

template <class... T>
void Writer::operator()(T&... values) {
  (value(*this, values), ...);
}
template <class... T>
void Reader::operator()(T&... values) {
  (value(*this, values), ...);
}

}  // namespace firstfault::digest
