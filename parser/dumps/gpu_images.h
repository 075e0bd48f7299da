// The cubins inside a GPU core dump: which function stands at an address, and on which source line.
// Only relocated images (".cudbg.relfimg") carry real addresses; functions that were not loaded
// have address 0 there. Format: ELF of the CUDA machine; docs/formats/gpu_core.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "parser/dumps/elf.h"

namespace firstfault {

struct GpuFunction {
  std::string kernel;    // demangled: the function that the code section is named after
  std::string function;  // demangled: what stands at the address; equal to `kernel` mostly
  std::uint64_t start = 0;
  std::string source;  // "bad.cu:4", "" without line information
};

// Looks for `address` in one image. Empty names when it is not there, or the image is damaged.
GpuFunction find_function(const RandomBytes& image, std::uint64_t address, ElfWork* work);

// A function's name as a person writes it: "gather_rows(float const*, int)". A name that is not
// mangled is given back; one that would unfold to something enormous is cut to its qualified name,
// "at::native::kernel<...>".
std::string readable_name(std::string_view mangled);

}  // namespace firstfault
