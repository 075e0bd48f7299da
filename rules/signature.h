// A signature of the catalogue, as loaded: which lines it claims and what it takes from them.
#pragma once
#include <string>
#include <vector>

#include "model/facts.h"

namespace firstfault {

struct Signature {
  std::string id, family, cls, pattern, doc, note;
  std::vector<std::string> anchors;  // any one must occur in the line
  std::vector<std::string> hit, miss;
  std::vector<std::string> kinds;  // source kinds it applies to, all when empty
  std::string file;                // where it was defined, for messages
  std::uint32_t line = 0, column = 0;
};

}  // namespace firstfault
