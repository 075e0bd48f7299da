#include "timeline/source_names.h"

#include <gtest/gtest.h>

#include "timeline/builder.h"

namespace firstfault::test {
namespace {

TEST(SourceNames, root_is_cut_between_folders_not_inside_a_name) {
  EXPECT_EQ(common_root({"/a/job1", "/a/job10"}), "/a");
  EXPECT_EQ(common_root({"/a/b", "/a/b/c"}), "/a/b");
  EXPECT_EQ(common_root({"/a", "/b"}), "");
  EXPECT_EQ(common_root({}), "");
}

TEST(SourceNames, two_contents_of_one_path_get_different_names) {
  Facts facts;
  facts.roots = {"/job"};
  for (std::uint64_t hash : {0x1234567890abcdefULL, 0x42ULL}) {
    SourceFacts s;
    s.info.path = "/job/x.log";
    s.info.content_hash = hash;
    facts.sources.push_back(s);
  }
  const SourceNames names(facts);
  EXPECT_EQ(names.file[0], "x.log~12345678");
  EXPECT_EQ(names.file[1], "x.log~00000000");
}

}  // namespace
}  // namespace firstfault::test
