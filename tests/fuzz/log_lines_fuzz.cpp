// Any bytes as a log, in two windows: no crash, items in order of place and inside the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "parser/io/sniff.h"
#include "parser/scan/line_walk.h"
#include "parser/scan/region_cutter.h"
#include "support/no_matcher.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  firstfault::SourceInfo info;
  info.path = "/job/rank_3.log";
  info.kind = firstfault::sniff_kind(bytes, info.path);
  const firstfault::test::NoMatcher nothing;
  static const firstfault::Vocabulary words(nothing,
                                            firstfault::LiteralScanner::Engine::aho_corasick);
  firstfault::LineWalk walk(std::move(info), words, nothing);
  firstfault::RegionCutter cutter([&](const firstfault::Region& region) { walk.region(region); });
  cutter.add(bytes.substr(0, size / 3));
  cutter.add(bytes.substr(size / 3));
  cutter.finish();
  const firstfault::SourceFacts facts = walk.finish(size, cutter.ends_in_mid_line());
  for (const firstfault::RecordItem& item : facts.records) {
    if (item.quote.offset + item.quote.length > size || item.speaker >= facts.speakers.size())
      std::abort();
    if (item.quote.text.size() > firstfault::kQuoteBytes) std::abort();
  }
  return 0;
}
