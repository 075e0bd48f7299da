// Which files the arguments of a person mean.
#pragma once

#include <string>
#include <vector>

#include "model/facts.h"

namespace firstfault {

struct InputList {
  std::vector<std::string> files;  // absolute and lexically normal, or "-"; sorted, unique
  std::vector<std::string> roots;  // a folder itself, of a file its parent; sorted, unique
  std::vector<Skipped> skipped;    // what cannot be listed, with the reason
};

// Folders are searched to the bottom. Links to files are followed, links to folders are not (and
// are told in `skipped`), so a loop of links ends.
InputList list_inputs(const std::vector<std::string>& paths);

}  // namespace firstfault
