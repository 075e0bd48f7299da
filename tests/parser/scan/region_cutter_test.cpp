#include "parser/scan/region_cutter.h"

#include <gtest/gtest.h>

#include <vector>

namespace firstfault {
namespace {

struct Seen {
  std::string text;
  std::uint64_t offset;
  bool operator==(const Seen&) const = default;
};

struct Cut {
  std::vector<Seen> parts;
  std::uint64_t cuts = 0;
  bool torn = false;
};

// Every part of every region, and a check of the context in front of it.
Cut cut(std::string_view bytes, std::size_t window) {
  Cut out;
  RegionCutter cutter([&](const Region& r) {
    if (r.offset + r.begin > 0) {
      EXPECT_GT(r.begin, 0u);
      EXPECT_TRUE(ends_part(r.bytes[r.begin - 1]));
    }
    for (std::size_t at = r.begin; at < r.bytes.size();) {
      std::size_t end = next_end(r.bytes, at);
      if (end == std::string_view::npos) end = r.bytes.size();
      out.parts.push_back({std::string(r.bytes.substr(at, end - at)), r.offset + at});
      EXPECT_LE(end - at, Region::kLongest);
      if (!r.cut && r.offset + at < bytes.size() && r.begin == at) {
        const std::size_t context = std::min<std::size_t>(r.begin, Region::kContext);
        EXPECT_EQ(r.bytes.substr(at - context, context),
                  bytes.substr(r.offset + at - context, context));
      }
      at = end + 1;
    }
  });
  for (std::size_t at = 0; at < bytes.size(); at += window) cutter.add(bytes.substr(at, window));
  cutter.finish();
  out.cuts = cutter.cut_parts();
  out.torn = cutter.ends_in_mid_line();
  return out;
}

TEST(RegionCutter, PartsDoNotDependOnWhereWindowsEnd) {
  std::string text = "one\r\n\r\n\rbar 1\rbar 2\r[rank0]: end\n\ntwo\n";
  for (int i = 0; i < 2000; ++i) text += std::string(static_cast<std::size_t>(i % 37), 'x') + '\n';
  text += "half";
  const Cut whole = cut(text, text.size());
  for (const std::size_t window : {1, 2, 3, 7, 64, 1000, 4096, 4097, 9000, 20000}) {
    const Cut pieces = cut(text, window);
    EXPECT_EQ(pieces.parts, whole.parts) << window;
    EXPECT_EQ(pieces.torn, whole.torn) << window;
  }
  EXPECT_TRUE(whole.torn);
  EXPECT_EQ(whole.parts.back().text, "half");
}

TEST(RegionCutter, TenMegabytesWithoutNewlineAreCutAndCounted) {
  const std::string text = "first\n" + std::string(10u << 20, 'x') + "\nnext\n";
  for (const std::size_t window : {std::size_t{65536}, std::size_t{262144}, text.size()}) {
    const Cut out = cut(text, window);
    ASSERT_EQ(out.parts.size(), 3u);
    EXPECT_EQ(out.parts[1].text.size(), Region::kLongest);
    EXPECT_EQ(out.parts[2], (Seen{"next", (10u << 20) + 7}));
    EXPECT_EQ(out.cuts, 1u);
  }
  EXPECT_EQ(cut(std::string(1u << 20, 'x'), 4096).cuts, 1u);
}

TEST(RegionCutter, NothingIsNoPart) {
  EXPECT_TRUE(cut("", 1).parts.empty());
  EXPECT_FALSE(cut("whole\n", 99).torn);
}

TEST(Region, NewlinesAreCountedInEveryAlignment) {
  std::string text;
  for (int i = 0; i < 9000; ++i) text += i % 3 == 0 ? '\n' : static_cast<char>(i);
  for (std::size_t from = 0; from < 70; ++from) {
    const std::string_view part = std::string_view(text).substr(from, text.size() - 2 * from);
    EXPECT_EQ(count_newlines(part),
              static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\n')));
  }
  EXPECT_EQ(count_newlines(std::string(100000, '\n')), 100000u);
}

}  // namespace
}  // namespace firstfault
