// Any bytes as JSON and as error.json: no crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "model/quote.h"
#include "parser/dumps/error_json.h"
#include "parser/dumps/json_document.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const firstfault::Result<firstfault::Document> doc = firstfault::read_json(bytes);
  if (doc && doc->counters().nodes > size) std::abort();
  firstfault::Stamp when;
  const firstfault::Result<firstfault::ExceptionReport> report =
      firstfault::read_error_json(bytes, &when);
  if (report && report->message.size() > firstfault::kQuoteBytes) std::abort();
  return 0;
}
