// Stacks of a Flight Recorder dump. One frame dict is shared by many entries; equal stacks get one
// number.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/flight_recorder.h"
#include "parser/dumps/document.h"
#include "parser/dumps/interner.h"

namespace firstfault {

class FrStacks {
 public:
  static constexpr std::size_t kFrames = 32;          // kept of one stack, innermost first
  static constexpr std::size_t kFrameText = 512;      // bytes of a function or file name
  static constexpr std::uint64_t kBytes = 64u << 20;  // of all distinct stacks together

  explicit FrStacks(const Document& doc) : doc_(doc), frame_numbers_(), stacks_(1) {}

  // Number of the stack; 0 for none. Work per call is bounded by kFrames.
  std::uint32_t number(const Value& frames);
  bool too_large() const { return bytes_ > kBytes; }
  std::vector<std::vector<FrFrame>> take() { return std::move(stacks_); }

 private:
  std::uint32_t frame_number(const Value& dict);

  const Document& doc_;
  std::unordered_map<std::uint32_t, std::uint32_t> frame_numbers_;  // by container
  std::vector<FrFrame> frames_;                                     // by frame number
  Interner frame_keys_;  // equal frames written twice get one number
  Interner stack_keys_;  // frame numbers as bytes -> stack number; "" is stack 0
  std::vector<std::vector<FrFrame>> stacks_;
  std::string key_;
  std::uint64_t bytes_ = 0;
};

}  // namespace firstfault
