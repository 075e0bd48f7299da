#include <csignal>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "cli/commands.h"

namespace {

// Buffers for one file are freed and taken again thousands of times. Giving them back to the system
// in between costs more than parsing, so freed memory stays with the process.
void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 4 << 20);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  // A reader that closes its pipe is a write error with a message, not a silent death.
  std::signal(SIGPIPE, SIG_IGN);
  return firstfault::run(argc, argv);
}
