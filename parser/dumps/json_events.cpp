#include "parser/dumps/json_events.h"

#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

namespace firstfault {

namespace {

using Json = nlohmann::json;

// Input iterator that tells how many bytes the lexer has taken.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** seen = nullptr;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    ++at;
    *seen = at;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at == b.at;
  }
};

class Adapter : public nlohmann::json_sax<Json> {
 public:
  Adapter(JsonHandler& handler, const char* begin, const char* end)
      : handler_(handler), begin_(begin), end_(end), seen_(begin) {}

  const char** seen() { return &seen_; }
  std::uint64_t offset() const { return static_cast<std::uint64_t>(seen_ - begin_); }
  const std::string& error() const { return error_; }
  bool ended_early() const { return ended_early_; }

  bool null() override { return handler_.null(); }
  bool boolean(bool v) override { return handler_.boolean(v); }
  bool number_integer(Json::number_integer_t v) override { return handler_.integer(v); }
  bool number_unsigned(Json::number_unsigned_t v) override {
    return v >> 63 != 0 ? handler_.real(static_cast<double>(v))
                        : handler_.integer(static_cast<std::int64_t>(v));
  }
  bool number_float(Json::number_float_t v, const std::string&) override {
    return handler_.real(v);
  }
  bool string(std::string& v) override { return handler_.text(v); }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return handler_.begin_object(offset() - 1); }
  bool key(std::string& name) override { return handler_.key(name); }
  bool end_object() override { return handler_.end_object(offset()); }
  bool start_array(std::size_t) override { return handler_.begin_array(offset() - 1); }
  bool end_array() override { return handler_.end_array(offset()); }
  bool parse_error(std::size_t, const std::string&, const Json::exception& e) override {
    error_ = e.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
    if (const std::size_t at = error_.find("] "); at != std::string::npos) error_.erase(0, at + 2);
    ended_early_ = seen_ == end_;
    return false;
  }

 private:
  JsonHandler& handler_;
  const char* begin_;
  const char* end_;
  const char* seen_;
  std::string error_;
  bool ended_early_ = false;
};

}  // namespace

JsonOutcome read_json_events(std::string_view bytes, JsonHandler& handler) {
  const char* const end = bytes.data() + bytes.size();
  Adapter adapter(handler, bytes.data(), end);
  JsonOutcome out;
  out.complete = Json::sax_parse(CountingIterator{bytes.data(), adapter.seen()},
                                 CountingIterator{end, adapter.seen()}, &adapter,
                                 nlohmann::detail::input_format_t::json, /*strict=*/false);
  out.offset = adapter.offset();
  out.ended_early = adapter.ended_early();
  out.error = adapter.error();
  return out;
}

}  // namespace firstfault
