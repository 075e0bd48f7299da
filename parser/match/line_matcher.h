// The seam between parsing and the catalogue: parser/ calls it, rules/ implements it.
//
// The reference matcher (rules/reference_matcher.h) tries every signature on every line and is obviously
// right; faster ones must give identical results.
#pragma once

#include <functional>
#include <string_view>

#include "model/event.h"
#include "model/facts.h"

namespace firstfault {

class LineMatcher {
 public:
  virtual ~LineMatcher() = default;

  // Reports every event that the signatures see in one line. `line` is the text behind the prefix layers
  // (it may still hold a progress bar or another line glued in front: signatures search inside).
  // `begin`/`length` of the sink tell which part of `line` matched. Within a family the first signature
  // that matches wins; families are independent. Thread-safe.
  using Sink = std::function<void(Event event, std::size_t begin, std::size_t length)>;
  virtual void match(std::string_view line, SourceKind kind, const Sink& sink) const = 0;
};

}  // namespace firstfault
