#include "cli/skipped.h"

#include <fmt/format.h>

#include <cstdio>

#include "report/text_layout.h"

namespace firstfault {

void say_skipped(const std::vector<Skipped>& skipped) {
  for (const Skipped& s : skipped) {
    std::fputs(fmt::format("firstfault: skipped {}: {}\n", safe(s.path), safe(s.reason)).c_str(),
               stderr);
  }
}

}  // namespace firstfault
