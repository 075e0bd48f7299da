// Any bytes as a log, in two windows: no crash, items in order of place and inside the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "parser/io/sniff.h"
#include "parser/lines/fold.h"

namespace {

class NoMatcher : public firstfault::LineMatcher {
 public:
  void match(std::string_view, firstfault::SourceKind, const Sink&) const override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  firstfault::SourceInfo info;
  info.path = "/job/rank_3.log";
  info.kind = firstfault::sniff_kind(bytes, info.path);
  const NoMatcher nothing;
  firstfault::Fold fold(std::move(info), nothing);
  firstfault::LineCutter cutter([&](const firstfault::LinePart& part) { fold.part(part); });
  cutter.add(bytes.substr(0, size / 3));
  cutter.add(bytes.substr(size / 3));
  const bool torn = cutter.finish();
  const firstfault::SourceFacts facts = fold.finish(size, cutter.lines(), torn);
  for (const firstfault::RecordItem& item : facts.records) {
    if (item.quote.offset + item.quote.length > size || item.speaker >= facts.speakers.size())
      std::abort();
    if (item.quote.text.size() > firstfault::kQuoteBytes) std::abort();
  }
  return 0;
}
