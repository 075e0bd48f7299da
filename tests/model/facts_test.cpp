#include "model/facts.h"

#include <gtest/gtest.h>

#include "model/facts_file.h"

namespace firstfault {
namespace {

Facts of_source(std::string path, std::uint64_t hash) {
  Facts facts;
  facts.sources.emplace_back();
  facts.sources[0].info.path = std::move(path);
  facts.sources[0].info.content_hash = hash;
  facts.roots = {"/d"};
  facts.skipped = {{"/d/x", "why", 1}};
  return facts;
}

TEST(Facts, MergeInAnyOrderOrTwiceGivesTheSame) {
  const Facts a = of_source("/d/a", 1), b = of_source("/d/b", 2), c = of_source("/d/a", 3);
  Facts abc = a;
  abc.merge(b);
  abc.merge(c);
  Facts cba = c;
  cba.merge(b);
  cba.merge(a);
  cba.merge(b);
  EXPECT_EQ(abc.sources.size(), 3u);
  EXPECT_EQ(abc.skipped.size(), 1u);
  EXPECT_EQ(write_facts(abc), write_facts(cba));
}

}  // namespace
}  // namespace firstfault
