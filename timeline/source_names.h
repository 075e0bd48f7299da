// Names of sources as reports show them: relative to the common root of the inputs, and their
// order.
//
// Two sources of equal path but different content (two digests of one job) get "~<hash8>" behind
// the name, so that a name tells one source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/facts.h"

namespace firstfault {

// Longest folder that holds all of the given absolute folders; "" when there is none.
std::string common_root(const std::vector<std::string>& folders);

struct SourceNames {
  explicit SourceNames(const Facts& facts);

  std::string root;
  std::vector<std::string> file;        // by index in Facts::sources
  std::vector<std::uint32_t> position;  // index in Facts::sources -> index in Job::sources

  std::string relative(std::string_view path) const;
};

}  // namespace firstfault
