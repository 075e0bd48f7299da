#include "timeline/comm_instances.h"

#include <gtest/gtest.h>

#include "timeline/builder.h"

namespace firstfault::test {
namespace {

CommInit child(std::uint64_t comm, std::int32_t rank, std::int32_t color, std::int32_t split) {
  CommInit init;
  init.comm = comm;
  init.rank = rank;
  init.nranks = 2;
  init.parent = 0xa;
  init.color = color;
  init.split_count = split;
  return init;
}

TEST(CommInstances, children_without_an_id_are_joined_by_parent_split_and_colour) {
  FactsBuilder job;
  for (int r = 0; r < 4; ++r) {
    Log& log = job.log("/job/" + std::to_string(r));
    log.voice({.host = "n", .pid = r}).init(0xa, r, 4, 7);
    log.says(child(0xb, r % 2, r / 2, 1));
  }
  const std::vector<CommInstance> all = comm_instances(job.facts());
  ASSERT_EQ(all.size(), 8u);
  EXPECT_NE(all[1].key, 0u);
  EXPECT_EQ(all[1].key, all[3].key);  // ranks 0 and 1: colour 0
  EXPECT_EQ(all[5].key, all[7].key);
  EXPECT_NE(all[1].key, all[5].key);
  EXPECT_NE(all[0].key, all[1].key);
}

TEST(CommInstances, start_and_complete_are_one_and_a_second_start_is_another) {
  FactsBuilder job;
  Log& log = job.log("/job/0");
  log.voice({.host = "n", .pid = 1}).init(0xa, 0, 2, 7).coll(0xa, 2, OpKind::all_reduce, 1);
  log.init(0xa, 0, 2, 8);
  const Facts facts = job.facts();
  const std::vector<CommInstance> all = comm_instances(facts);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].complete);
  const std::uint64_t offset = facts.sources[0].op_streams[0].ops.rows().front().offset;
  EXPECT_EQ(instance_at(all, 0, 0, 0xa, offset), &all[0]);
  EXPECT_EQ(instance_at(all, 0, 0, 0xa, offset + 1000), &all[1]);
  EXPECT_EQ(instance_at(all, 0, 0, 0xb, offset), nullptr);
}

TEST(CommInstances, impossible_ranks_make_no_instance) {
  FactsBuilder job;
  CommInit bad;
  bad.rank = 7;
  bad.nranks = 2;
  job.log("/job/0").voice({}).says(bad);
  EXPECT_TRUE(comm_instances(job.facts()).empty());
}

}  // namespace
}  // namespace firstfault::test
