// Any bytes as a digest file, as they are and as a payload under a right checksum (a fuzzer would
// never guess one): no crash, and what is accepted is written back and read again unchanged.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "model/facts_file.h"

namespace {

void check(std::string_view bytes) {
  const firstfault::Result<firstfault::Facts> facts = firstfault::read_facts(bytes);
  if (!facts) return;
  const std::string again = firstfault::write_facts(*facts);
  const firstfault::Result<firstfault::Facts> second = firstfault::read_facts(again);
  if (!second || firstfault::write_facts(*second) != again) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  check(firstfault::seal_facts(bytes));
  return 0;
}
