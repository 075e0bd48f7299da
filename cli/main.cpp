#include "cli/commands.h"

int main(int argc, char** argv) { return firstfault::run(argc, argv); }
