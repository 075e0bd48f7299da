// Any bytes as a pickle: no crash, and work in proportion to the bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "parser/dumps/pickle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const firstfault::Result<firstfault::Document> doc = firstfault::read_pickle(bytes);
  if (!doc) return 0;
  const firstfault::DumpCounters& work = doc->counters();
  if (work.opcodes > size || work.nodes > size || work.moved > work.nodes) std::abort();
  firstfault::Children children = doc->children(doc->root());
  for (const firstfault::Value* v = children.next(); v != nullptr; v = children.next()) {
    if (doc->begin(*v) > doc->end(*v) || doc->end(*v) > size) std::abort();
  }
  return 0;
}
