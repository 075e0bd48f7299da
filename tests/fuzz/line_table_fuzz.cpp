// Any bytes as a DWARF line table and as a mangled name: no crash, work linear in the bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "parser/dumps/gpu_images.h"
#include "parser/dumps/line_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::uint64_t steps = 0;
  const firstfault::SourceLine line = firstfault::find_line({bytes, bytes}, 0x1020, &steps);
  if (steps > size || line.file.size() > 512) std::abort();
  if (firstfault::readable_name(bytes).size() > 512) std::abort();
  if (firstfault::readable_name("_Z" + std::string(bytes)).size() > 512) std::abort();
  return 0;
}
