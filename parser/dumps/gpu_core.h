// GPU core dumps ("*.nvcudmp", CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1): which exception stopped which
// kernel, where. Nothing of the dumped memory is read.
//
//   Result<GpuCore> core = read_gpu_core(MemoryBytes(bytes),
//   "core_1796096904_node-1_2062.nvcudmp"); core->items[0].record    // GpuException{"Warp Illegal
//   Address", "gather_rows(...)", "bad.cu:4"}
//
// Format: cudacoredump.h of the CUDA toolkit: ELF of machine CUDA without program headers, tables
// in sections of type 0x80000000 + n that form a tree by sh_link (table of the parent) and sh_info
// (row of the parent). Rows grow with the driver: the stride is sh_entsize, a field is read if the
// row has it. What is reported is what cuda-gdb says on the same dump: the address that the
// hardware noted for the exception, not where the lanes were when the dump was taken. When the
// warps had exited before, block and thread stay unknown.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/facts.h"
#include "parser/dumps/elf.h"

namespace firstfault {

struct GpuCore {
  Speaker speaker;               // host and pid, when the file has the driver's default name
  Stamp when;                    // seconds of the epoch, as the driver wrote them
  std::deque<RecordItem> items;  // GpuException, one for each kind and address, at most 16
  std::uint64_t hash = 0;        // of everything that was read
  ElfCounters work;
};

// Errors: not ELF, not of a GPU, cut short (the tables stand at the end), damaged, over a limit. A
// dump without an exception (taken on demand) has no items.
Result<GpuCore> read_gpu_core(const RandomBytes& bytes, std::string_view path,
                              const ElfLimits& limits = {});

}  // namespace firstfault
