// Any bytes as a core dump of a process, whole and as the front of a stream: no crash, and no byte
// is read twice.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "parser/dumps/host_core.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)firstfault::host_core_front(firstfault::MemoryBytes(bytes.substr(0, size / 2)));
  const firstfault::Result<firstfault::HostCore> core =
      firstfault::read_host_core(firstfault::MemoryBytes(bytes));
  if (!core) return 0;
  const auto& dead = std::get<firstfault::ProcessCore>(core->item.record);
  if (dead.libraries.size() > 32 || core->item.quote.text.size() > firstfault::kQuoteBytes)
    std::abort();
  return 0;
}
