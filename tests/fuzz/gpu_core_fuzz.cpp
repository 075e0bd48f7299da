// Any bytes as a GPU core dump: no crash, bounded work, and every quote is short.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "parser/dumps/gpu_core.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const firstfault::Result<firstfault::GpuCore> core =
      firstfault::read_gpu_core(firstfault::MemoryBytes(bytes), "core_1_node_2062.nvcudmp");
  if (!core) return 0;
  if (core->items.size() > 16 || core->work.headers > 40 * size / 64 + 64) std::abort();
  for (const firstfault::RecordItem& item : core->items) {
    if (item.quote.text.size() > firstfault::kQuoteBytes) std::abort();
  }
  return 0;
}
