// Any bytes as a RAS status in text form: no crash, and every quote lies inside the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "parser/nccl/ras_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const firstfault::RecordItem& item : firstfault::read_ras_text(bytes)) {
    if (item.quote.offset + item.quote.length > size) std::abort();
    if (item.quote.line == 0 || item.quote.text.size() > firstfault::kQuoteBytes) std::abort();
  }
  return 0;
}
