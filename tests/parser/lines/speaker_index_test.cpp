#include "parser/lines/speaker_index.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

using Numbers = std::vector<std::uint32_t>;

Speaker speaker(std::int32_t global, std::int32_t local, std::int64_t pid) {
  Speaker s;
  s.global_rank = global;
  s.local_rank = local;
  s.pid = pid;
  return s;
}

TEST(SpeakerIndex, RankOneIsNotPidOne) {
  SpeakerIndex index;
  index.add(0, speaker(1, -1, -1));
  index.add(1, speaker(-1, -1, 1));
  EXPECT_EQ(index.sharing(speaker(1, -1, -1)), Numbers{0});
  EXPECT_EQ(index.sharing(speaker(-1, -1, 1)), Numbers{1});
  EXPECT_EQ(index.sharing(speaker(-1, -1, -1)), Numbers{});
}

TEST(SpeakerIndex, SpeakersOfTwoLabelsAreFoundOnceInOrder) {
  SpeakerIndex index;
  index.add(2, speaker(9, 1, -1));
  index.add(0, speaker(1, 1, -1));
  index.add(1, speaker(9, -1, -1));
  index.add(1, speaker(9, 1, 77));  // known by more later
  EXPECT_EQ(index.sharing(speaker(9, 1, -1)), (Numbers{0, 1, 2}));
  EXPECT_EQ(index.sharing(speaker(-1, -1, 77)), Numbers{1});
}

}  // namespace
}  // namespace firstfault
