// Core dumps of processes (Linux, ET_CORE): how the process died, from the headers and notes alone.
// The memory in it is not read and nothing is unwound; a core may have 100 GB.
//
// Format: notes as linux/fs/binfmt_elf.c writes them (NT_PRSTATUS, NT_PRPSINFO, NT_SIGINFO,
// NT_FILE), layouts of x86_64 and aarch64.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "model/facts.h"
#include "parser/dumps/elf.h"

namespace firstfault {

struct HostCore {
  RecordItem item;         // ProcessCore
  std::uint64_t hash = 0;  // of everything that was read
  ElfCounters work;
};

// Errors: not ELF, not a core, no notes in it, damaged, over a limit.
Result<HostCore> read_host_core(const RandomBytes& bytes, const ElfLimits& limits = {});

// How many bytes from the start hold the headers and notes, as far as `front` tells: more than
// `front` has when it ends inside them. 0 when it is no core dump.
std::uint64_t host_core_front(const RandomBytes& front);

}  // namespace firstfault
