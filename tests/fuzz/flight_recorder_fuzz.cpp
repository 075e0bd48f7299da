// Any bytes as a Flight Recorder dump: no crash, and every index of the result holds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "parser/dumps/flight_recorder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const firstfault::Result<firstfault::FrDump> dump = firstfault::read_flight_recorder(bytes);
  if (!dump) return 0;
  const std::size_t strings = dump->strings.size();
  for (const firstfault::FrEntry& e : dump->entries) {
    if (e.group >= dump->groups.size() || e.name >= strings || e.in_shape >= strings ||
        e.out_shape >= strings || e.in_dtype >= strings || e.out_dtype >= strings ||
        e.stack >= dump->stacks.size() || e.offset + e.length > size) {
      std::abort();
    }
  }
  if (dump->entries.size() > dump->entries_total) std::abort();
  return 0;
}
