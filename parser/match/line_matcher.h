// The seam between parsing and the catalogue: parser/ calls it, rules/ implements it.
//
// The reference matcher (rules/reference_matcher.h) tries every signature on every line and is
// obviously right; what runs in practice (rules/indexed_matcher.h) is told which anchors a line
// holds and must give identical results.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"
#include "model/facts.h"

namespace firstfault {

class LineMatcher {
 public:
  // Bytes of a line that are given to signatures; what follows is only quoted.
  static constexpr std::size_t kMatchedBytes = 4096;

  virtual ~LineMatcher() = default;

  // The distinct literals one of which every line that a signature matches must hold.
  virtual const std::vector<std::string>& anchors() const = 0;

  // Reports every event that the signatures see in one line. `line` is the text behind the prefix
  // layers (it may still hold a progress bar or another line glued in front: signatures search
  // inside); `held` the numbers of the anchors within its first kMatchedBytes, ascending, unique.
  // `begin`/`length` of the sink tell which part of `line` matched. Within a family the first
  // signature that matches wins; families are independent. Thread-safe.
  using Sink = std::function<void(Event event, std::size_t begin, std::size_t length)>;
  virtual void match(std::string_view line, SourceKind kind, std::span<const std::uint32_t> held,
                     const Sink& sink) const = 0;
};

}  // namespace firstfault
