#include <csignal>

#include "cli/commands.h"

int main(int argc, char** argv) {
  // A reader that closes its pipe is a write error with a message, not a silent death.
  std::signal(SIGPIPE, SIG_IGN);
  return firstfault::run(argc, argv);
}
