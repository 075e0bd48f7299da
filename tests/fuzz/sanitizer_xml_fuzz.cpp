// Any bytes as compute-sanitizer's XML: no crash, and every quote lies inside the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "parser/dumps/sanitizer_xml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const firstfault::RecordItem& item : firstfault::read_sanitizer_xml(bytes)) {
    if (item.quote.offset + item.quote.length > size) std::abort();
    if (item.quote.text.size() > firstfault::kQuoteBytes || item.count == 0) std::abort();
  }
  return 0;
}
