#include "parser/read.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/hash.h"
#include "model/facts_file.h"
#include "support/packed.h"
#include "support/support.h"

namespace firstfault {
namespace {

namespace fs = std::filesystem;

// Knows one signature: the word "BOOM".
class BoomMatcher : public LineMatcher {
 public:
  const std::vector<std::string>& anchors() const override {
    static const std::vector<std::string> boom = {"BOOM"};
    return boom;
  }
  void match(std::string_view line, SourceKind, std::span<const std::uint32_t>,
             const Sink& sink) const override {
    const std::size_t at = line.find("BOOM");
    if (at != std::string_view::npos) sink(Event{"test.boom", "test.boom", {}}, at, 4);
  }
};

ReadOptions threads(unsigned n) {
  ReadOptions options;
  options.threads = n;
  return options;
}

Facts read(const std::vector<std::string>& paths, ReadOptions options = threads(1)) {
  return read_inputs(paths, BoomMatcher(), options);
}

std::string reason_of(const Facts& facts, std::string_view ending) {
  for (const Skipped& s : facts.skipped) {
    if (std::string_view(s.path).ends_with(ending)) return s.reason;
  }
  return {};
}

std::uint64_t booms(const SourceFacts& source) {
  std::uint64_t n = 0;
  for (const EventItem& e : source.events) n += e.count;
  return n;
}

TEST(Read, CompressedCopyGivesTheSameFactsAsTheFile) {
  test::TempDir dir;
  const std::string text = test::log_text(3000) + "BOOM\n";
  dir.write("plain.log", text);
  for (const char* filter : {"gzip", "xz", "zstd", "bzip2"})
    dir.write(std::string(filter) + ".log", test::compress(text, filter));
  const Facts facts = read({dir.path().string()});
  ASSERT_EQ(facts.sources.size(), 5u);
  for (const SourceFacts& s : facts.sources) {
    EXPECT_EQ(s.info.content_hash, hash_bytes(text)) << s.info.path;
    EXPECT_EQ(s.info.bytes, text.size()) << s.info.path;
    EXPECT_EQ(s.info.lines, 3001u) << s.info.path;
    EXPECT_EQ(s.info.read, ReadExtent::whole) << s.info.path;
    EXPECT_EQ(booms(s), 1u) << s.info.path;
  }
}

TEST(Read, TruncatedGzipIsReadToItsLastByte) {
  test::TempDir dir;
  const std::string text = test::log_text(6000);
  const std::string packed = test::gzip(text);
  dir.write("cut.log.gz", packed.substr(0, packed.size() * 9 / 10));
  const Facts facts = read({dir.path().string()});
  ASSERT_EQ(facts.sources.size(), 1u);
  const SourceInfo& info = facts.sources[0].info;
  EXPECT_EQ(info.read, ReadExtent::partly);
  EXPECT_NE(info.note.find("truncated"), std::string::npos) << info.note;
  EXPECT_GT(info.bytes, text.size() * 8 / 10);
  EXPECT_EQ(info.content_hash, hash_bytes(std::string_view(text).substr(0, info.bytes)));
  EXPECT_TRUE(facts.sources[0].ends_in_mid_line);
}

TEST(Read, TruncatedGzipInsideATarKeepsItsTailAndItsNeighbours) {
  test::TempDir dir;
  const std::string packed = test::gzip(test::log_text(100) + "BOOM\n" + test::log_text(400));
  dir.write("job.tar", test::tar({{"./a.log.gz", packed.substr(0, packed.size() - 200)},
                                  {"./b.log", "BOOM\n"}}));
  const Facts facts = read({dir.path().string()});
  ASSERT_EQ(facts.sources.size(), 2u);
  EXPECT_TRUE(facts.sources[0].info.path.ends_with("job.tar!a.log.gz"));
  EXPECT_EQ(booms(facts.sources[0]), 1u);
  EXPECT_EQ(facts.sources[0].info.read, ReadExtent::partly);
  EXPECT_EQ(booms(facts.sources[1]), 1u);
}

TEST(Read, TruncatedXzGivesItsWholeBlocksAndSaysSo) {
  test::TempDir dir;
  const std::string packed = test::compress(test::log_text(20'000), "xz");
  dir.write("cut.log.xz", packed.substr(0, packed.size() * 9 / 10));
  const Facts facts = read({dir.path().string()});
  ASSERT_EQ(facts.sources.size(), 1u);
  EXPECT_EQ(facts.sources[0].info.read, ReadExtent::partly);
  EXPECT_GT(facts.sources[0].info.bytes, 500'000u);
}

TEST(Read, MembersOfArchivesWithinAnArchiveAreSources) {
  test::TempDir dir;
  const std::string inner = test::gzip(test::tar({{"ranks/3/stderr.log", "BOOM\n"}}));
  dir.write("job.zip", test::zip({{"node-a.tar.gz", inner}, {"x.log", "BOOM\n"}}));
  const Facts facts = read({dir.path().string()});
  ASSERT_EQ(facts.sources.size(), 2u);
  EXPECT_TRUE(facts.sources[0].info.path.ends_with("job.zip!node-a.tar.gz!ranks/3/stderr.log"));
  EXPECT_EQ(facts.sources[0].info.path_rank, 3);
}

TEST(Read, ArchiveNestedTooDeepIsNamedNotDropped) {
  test::TempDir dir;
  const std::string deep = test::tar({{"c.tar", test::tar({{"x.log", "BOOM\n"}})}});
  dir.write("a.tar", test::tar({{"b.tar", deep}}));
  const Facts facts = read({dir.path().string()});
  EXPECT_TRUE(facts.sources.empty());
  EXPECT_NE(reason_of(facts, "a.tar!b.tar!c.tar").find("too deep"), std::string::npos);
}

TEST(Read, BombIsRefusedByItsRatio) {
  test::TempDir dir;
  dir.write("bomb.gz", test::gzip(std::string(100u << 20, 'x')));
  ReadOptions options = threads(1);
  options.limits.ratio = 500;
  const Facts facts = read({dir.path().string()}, options);
  const std::string why =
      facts.sources.empty() ? reason_of(facts, "bomb.gz") : facts.sources[0].info.note;
  EXPECT_NE(why.find("refused"), std::string::npos) << why;
}

TEST(Read, TextBehindAQuarterMegabyteOfBlanksIsRead) {
  test::TempDir dir;
  dir.write("x.log", std::string(300'000, '\n') + "BOOM\n");
  const Facts facts = read({dir.path().string()});
  ASSERT_EQ(facts.sources.size(), 1u);
  EXPECT_EQ(booms(facts.sources[0]), 1u);
  EXPECT_EQ(facts.sources[0].events[0].quote.line, 300'001u);
}

TEST(Read, MoreMembersThanTheLimitAreReported) {
  test::TempDir dir;
  std::vector<test::Member> members;
  for (int i = 0; i < 9; ++i) members.emplace_back("m" + std::to_string(i) + ".log", "line\n");
  dir.write("many.tar", test::tar(members));
  ReadOptions options = threads(1);
  options.limits.members = 4;
  const Facts facts = read({dir.path().string()}, options);
  EXPECT_EQ(facts.sources.size(), 4u);
  EXPECT_NE(reason_of(facts, "m4.log").find("more than 4 members"), std::string::npos);
}

TEST(Read, EveryFileThatCannotBeUsedHasOneReason) {
  test::TempDir dir;
  dir.write("empty.log", "");
  dir.write("blank.log", "\n \n");
  dir.write("noise.bin", std::string(5000, '\x01'));
  dir.write("cut.tar.gz", test::gzip(test::tar({{"x.log", "a\n"}})).substr(0, 20));
  dir.write("sub/x.log", "fine\n");
  fs::create_directory_symlink(dir.path(), dir.path() / "sub" / "loop");
  fs::create_symlink("/nowhere/at/all", dir.path() / "dangling");
  ASSERT_EQ(::mkfifo((dir.path() / "pipe").c_str(), 0600), 0);  // must not hang
  const Facts facts = read({dir.path().string(), (dir.path() / "gone.log").string()});
  EXPECT_EQ(facts.sources.size(), 1u);
  EXPECT_EQ(reason_of(facts, "empty.log"), "empty");
  EXPECT_EQ(reason_of(facts, "blank.log"), "empty");
  EXPECT_EQ(reason_of(facts, "noise.bin"), "binary, not a known format");
  EXPECT_NE(reason_of(facts, "cut.tar.gz").find("truncated"), std::string::npos)
      << reason_of(facts, "cut.tar.gz");
  EXPECT_EQ(reason_of(facts, "loop"), "a link to a folder: not followed");
  EXPECT_EQ(reason_of(facts, "dangling"), "a link that leads nowhere");
  EXPECT_EQ(reason_of(facts, "pipe"), "not a regular file");
  EXPECT_EQ(reason_of(facts, "gone.log"), "no such file or folder");
  EXPECT_EQ(facts.skipped.size(), 8u);
}

TEST(Read, ThreadsAndOrderOfPathsDoNotShow) {
  test::TempDir dir;
  std::vector<std::string> paths;
  for (int i = 0; i < 12; ++i) {
    const std::string text = test::log_text(100 * i + 1) + "BOOM\n";
    paths.push_back(dir.write("r" + std::to_string(i) + "/x.log", text).string());
  }
  paths.push_back(
      dir.write("job.tar", test::tar({{"a.log", "BOOM\n"}, {"b.log", "b\n"}})).string());
  const std::string once = write_facts(read(paths, threads(1)));
  std::reverse(paths.begin(), paths.end());
  EXPECT_EQ(write_facts(read(paths, threads(4))), once);
  paths.push_back(paths.front());  // given twice
  EXPECT_EQ(write_facts(read(paths, threads(3))), once);
}

TEST(Read, DigestGivesTheFactsItWasMadeFrom) {
  test::TempDir raw, digested;
  raw.write("x.log", test::log_text(50) + "BOOM\n");
  const std::string bytes = write_facts(read({raw.path().string()}));
  digested.write("job.ffd", bytes);
  EXPECT_EQ(write_facts(read({(digested.path() / "job.ffd").string()})), bytes);
}

TEST(Read, ErrorBehindALongProgressBarIsFoundAtItsPlace) {
  test::TempDir dir;
  std::string text = "[default3]:start\n[default3]:";
  while (text.size() < (1u << 20)) text += "Epoch 0:  6%|##  | 32040/500150\r";
  const std::size_t at = text.size();
  text += "BOOM\n";
  dir.write("x.log", text);
  const Facts facts = read({dir.path().string()});
  ASSERT_EQ(facts.sources.size(), 1u);
  ASSERT_EQ(facts.sources[0].events.size(), 1u);
  const EventItem& boom = facts.sources[0].events[0];
  EXPECT_EQ(boom.quote.offset, at);
  EXPECT_EQ(boom.quote.line, 2u);
  EXPECT_EQ(facts.sources[0].speakers[boom.speaker].local_rank, 3);
}

TEST(Read, LinesThatAreNotUtf8AreKeptAndMarked) {
  test::TempDir dir;
  dir.write("x.log", "caf\xe9 BOOM\n");
  const Facts facts = read({dir.path().string()});
  ASSERT_EQ(facts.sources.size(), 1u);
  EXPECT_TRUE(facts.sources[0].events.at(0).quote.lossy);
}

TEST(Read, ProgressEndsAtTheTotal) {
  test::TempDir dir;
  const std::string text = test::log_text(20'000);
  dir.write("x.log", text);
  std::uint64_t last = 0, calls = 0;
  ReadOptions options = threads(1);
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GE(done, last);
    EXPECT_EQ(total, text.size());
    last = done;
    ++calls;
  };
  read({dir.path().string()}, options);
  EXPECT_EQ(last, text.size());
  EXPECT_GT(calls, 1u);
}

}  // namespace
}  // namespace firstfault
