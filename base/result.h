// A value or an error with context. Errors cross the border of a room as values, never as
// exceptions.
//
//   Result<Dump> r = read_dump(bytes);
//   if (!r) return r.error().in("nccl_trace_rank_3");   // "nccl_trace_rank_3: opcode 0x63 is not
//   allowed"
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace firstfault {

struct Error {
  std::string message;  // one line, lower case, no trailing dot

  Error in(std::string_view context) const { return Error{std::string(context) + ": " + message}; }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  const T& value() const& { return std::get<0>(state_); }
  T& value() & { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace firstfault
