#include "parser/lines/line_cutter.h"

#include <gtest/gtest.h>

#include <vector>

namespace firstfault {
namespace {

struct Seen {
  std::string text;
  std::uint64_t offset;
  std::uint32_t number;
  bool continues;
  bool operator==(const Seen&) const = default;
};

struct Cut {
  std::vector<Seen> parts;
  bool torn = false;
  std::uint32_t lines = 0;
  std::uint64_t cuts = 0;
};

Cut cut(std::string_view bytes, std::size_t window) {
  Cut out;
  LineCutter cutter([&](const LinePart& p) {
    out.parts.push_back({std::string(p.text), p.offset, p.number, p.continues});
  });
  for (std::size_t at = 0; at < bytes.size(); at += window) cutter.add(bytes.substr(at, window));
  out.torn = cutter.finish();
  out.lines = cutter.lines();
  out.cuts = cutter.cut_parts();
  return out;
}

TEST(LineCutter, ResultDoesNotDependOnWhereWindowsEnd) {
  const std::string text = "one\r\n\r\n\rbar 1\rbar 2\r[rank0]: end\n\ntwo\nhalf";
  const Cut whole = cut(text, text.size());
  for (std::size_t window = 1; window < text.size(); ++window) {
    const Cut pieces = cut(text, window);
    EXPECT_EQ(pieces.parts, whole.parts) << window;
    EXPECT_EQ(pieces.torn, whole.torn) << window;
    EXPECT_EQ(pieces.lines, whole.lines) << window;
  }
  EXPECT_TRUE(whole.torn);
  EXPECT_EQ(whole.lines, 6u);
}

TEST(LineCutter, CarriageReturnNewlineIsOneEnd) {
  EXPECT_EQ(cut("a\r\n\r\nb\r\n", 99).parts,
            (std::vector<Seen>{{"a", 0, 1, false}, {"", 4, 2, false}, {"b", 5, 3, false}}));
}

TEST(LineCutter, ErrorBehindMegabytesOfProgressBarIsKept) {
  std::string text;
  while (text.size() < (4u << 20)) text += "Epoch 0:  6%|##  | 32040/500150\r";
  const std::size_t at = text.size();
  text += "[rank3]:[E126 01:17:58.5 x.cpp:563] Watchdog\n";
  const Cut out = cut(text, 262144);
  EXPECT_EQ(out.parts.back(), (Seen{"[rank3]:[E126 01:17:58.5 x.cpp:563] Watchdog", at, 1, true}));
  EXPECT_EQ(out.cuts, 0u);
}

TEST(LineCutter, TenMegabytesWithoutNewlineAreCutAndCounted) {
  const std::string text = std::string(10u << 20, 'x') + "\nnext\n";
  const Cut out = cut(text, 65536);
  ASSERT_EQ(out.parts.size(), 2u);
  EXPECT_EQ(out.parts[0].text.size(), LineCutter::kLongest);
  EXPECT_EQ(out.parts[1], (Seen{"next", (10u << 20) + 1, 2, false}));
  EXPECT_EQ(out.cuts, 1u);
}

TEST(LineCutter, NothingIsNoLine) {
  EXPECT_TRUE(cut("", 1).parts.empty());
  EXPECT_FALSE(cut("whole\n", 99).torn);
}

}  // namespace
}  // namespace firstfault
