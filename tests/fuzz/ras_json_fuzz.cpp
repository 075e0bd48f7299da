// Any bytes as a RAS answer in JSON: no crash, and every quote lies inside the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "parser/nccl/ras_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)firstfault::is_ras_json(bytes);
  for (const firstfault::RecordItem& item : firstfault::read_ras_json(bytes)) {
    if (item.quote.offset + item.quote.length > size) std::abort();
    if (item.quote.text.size() > firstfault::kQuoteBytes) std::abort();
  }
  return 0;
}
