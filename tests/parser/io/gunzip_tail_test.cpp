#include "parser/io/gunzip_tail.h"

#include <gtest/gtest.h>

#include "support/packed.h"

namespace firstfault {
namespace {

// Yields its bytes one at a time: no reader may count on large windows.
class Drip : public ByteStream {
 public:
  explicit Drip(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<std::string_view> next() override {
    return at_ < bytes_.size() ? std::string_view(bytes_).substr(at_++, 1) : std::string_view();
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

std::string gunzip(std::string packed, std::uint64_t skip = 0) {
  Drip in(std::move(packed));
  return gunzip_tail(in, skip, 1u << 20);
}

TEST(GunzipTail, WholeFileIsDecodedExactly) {
  const std::string text = test::log_text(4000);
  EXPECT_EQ(gunzip(test::gzip(text)), text);
  EXPECT_EQ(gunzip(test::gzip("")), "");
  EXPECT_EQ(gunzip(test::gzip("short")), "short");  // fixed codes
}

TEST(GunzipTail, EveryCutGivesABeginningAndNeverLessThanAShorterCut) {
  const std::string text = test::log_text(60);
  const std::string packed = test::gzip(text);
  std::size_t before = 0;
  for (std::size_t cut = 0; cut <= packed.size(); ++cut) {
    const std::string out = gunzip(packed.substr(0, cut));
    ASSERT_EQ(out, text.substr(0, out.size())) << "cut at " << cut;
    ASSERT_GE(out.size(), before) << "cut at " << cut;
    before = out.size();
  }
  EXPECT_EQ(before, text.size());
}

TEST(GunzipTail, SkipPassesByWhatIsKnown) {
  const std::string text = test::log_text(3000);
  EXPECT_EQ(gunzip(test::gzip(text), 70'000), text.substr(70'000));
}

TEST(GunzipTail, MembersInARowAreOneFile) {
  EXPECT_EQ(gunzip(test::gzip("first\n") + test::gzip("second\n")), "first\nsecond\n");
}

TEST(GunzipTail, EveryFlippedBitEndsWithoutHarm) {
  const std::string packed = test::gzip(test::log_text(40));
  for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
    std::string bad = packed;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_LE(gunzip(bad).size(), (1u << 20)) << bit;
  }
}

}  // namespace
}  // namespace firstfault
