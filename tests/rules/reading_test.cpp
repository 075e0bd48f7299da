// The scanning core against the slow, obvious reading, over random text made of what real logs
// hold.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "model/facts_file.h"
#include "parser/scan/line_walk.h"
#include "parser/scan/region_cutter.h"
#include "rules/naive_reading.h"
#include "rules/reference_matcher.h"
#include "rules/signature.h"
#include "support/support.h"

namespace firstfault {
namespace {

const Rulebook& book() {
  static Result<Rulebook> built_in = Rulebook::built_in();
  return *built_in;
}

const Vocabulary& vocabulary(LiteralScanner::Engine engine) {
  static const Vocabulary slow(book().matcher(), LiteralScanner::Engine::aho_corasick);
  static const Vocabulary fast(book().matcher(), LiteralScanner::Engine::hyperscan);
  return engine == LiteralScanner::Engine::hyperscan ? fast : slow;
}

class Text {
 public:
  explicit Text(std::uint32_t seed) : random_(seed) {
    for (const Signature& s : book().reference_matcher().signatures()) {
      lines_.insert(lines_.end(), s.hit.begin(), s.hit.end());
      lines_.insert(lines_.end(), s.miss.begin(), s.miss.end());
    }
    lines_.insert(
        lines_.end(),
        {"node-1:41022:41022 [0] NCCL INFO NCCL_DEBUG set by environment to INFO",
         "node-1:41022:41022 [0] NCCL INFO ncclCommInitRank comm 0x29df24b0 rank 0 nranks 8 "
         "cudaDev "
         "0 nvmlDev 0 busId 17000 commId 0xa1 - Init START",
         "node-1:41022:41022 [0] NCCL INFO ncclCommInitRank comm 0x29df24b0 rank 0 nranks 8 "
         "cudaDev "
         "0 nvmlDev 0 busId 17000 commId 0xa1 - Init COMPLETE",
         "Traceback (most recent call last):",
         "  File \"/w/train.py\", line 31, in main",
         "    loss.backward()",
         "RuntimeError: CUDA error: an illegal memory access",
         "",
         "[rank3]: Traceback (most recent call last):",
         "[rank3]: ValueError: no",
         "Failures:",
         "  <NO_OTHER_FAILURES>",
         "Root Cause (first observed failure):",
         "[0]:",
         "  rank      : 3 (local_rank: 3)",
         "  exitcode  : -9 (pid: 4711)",
         "============================================================",
         "2026-12-01 03:44:59,123 [INFO] iteration 12/500 | lm loss: 2.25",
         "[  229.256144] NVRM: Xid (PCI:0000:17:00): 79, pid=1234, name=python, GPU has fallen off",
         "3: [rank3]:[E1201 03:44:59.594968084 ProcessGroupNCCL.cpp:689] something",
         "   10%|#   | 3/30",
         "\xff\xfe broken \x00 bytes",
         "error: one",
         "Error two",
         "plain"});
  }

  std::string make(std::size_t lines, bool operations) {
    std::string out;
    for (std::size_t i = 0; i < lines; ++i) {
      const std::uint32_t kind = below(100);
      if (operations ? kind < 80 : kind < 5) {
        out += operation();
      } else if (kind < 60) {
        out += quiet();
      } else {
        out += lines_[below(static_cast<std::uint32_t>(lines_.size()))];
      }
      const std::uint32_t fate = below(400);
      if (fate == 0) out.resize(out.size() - std::min<std::size_t>(out.size(), below(90)));  // torn
      if (fate == 1) continue;  // glued to the next
      if (fate == 2) out += std::string(below(90'000), 'x');
      out += fate < 20 ? "\r" : fate < 30 ? "\r\n" : "\n";
    }
    if (below(2) == 0 && !out.empty()) out.pop_back();
    return out;
  }

  std::uint32_t below(std::uint32_t n) { return n == 0 ? 0 : random_() % n; }

 private:
  std::string quiet() {
    if (below(3) == 0) return "2026-12-01 03:4" + std::to_string(below(10)) + ":59,123 step";
    return std::string(below(120), static_cast<char>('a' + below(20)));
  }
  std::string operation() {
    static constexpr const char* kOps[] = {"AllReduce", "Send", "Broadcast", "AllGather"};
    const std::string rank = std::to_string(below(50) == 0 ? 1 : 0);
    return "node-1:4102" + rank + ":4102" + rank + " [" + rank + "] NCCL INFO " + kOps[below(4)] +
           ": opCount " + std::to_string(below(100)) +
           " sendbuff 0x7f30a7e00000 recvbuff (nil) count " + std::to_string(below(5000)) +
           " datatype 7 op 0 root 0 comm 0x29df24b" + std::to_string(below(3)) +
           " [nranks=8] stream 0x312acc30";
  }

  std::mt19937 random_;
  std::vector<std::string> lines_;
};

std::string bytes_of(SourceFacts facts) {
  Facts all;
  all.sources.push_back(std::move(facts));
  return write_facts(all);
}

std::string read_in_windows(std::string_view text, LiteralScanner::Engine engine, Text& random) {
  LineWalk walk({}, vocabulary(engine), book().matcher());
  RegionCutter cutter([&](const Region& region) { walk.region(region); });
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = random.below(8) == 0 ? random.below(300) : 1 + random.below(300'000);
    cutter.add(text.substr(at, size));
    at += size;
  }
  cutter.finish();
  return bytes_of(walk.finish(text.size(), !text.empty() && cutter.ends_in_mid_line()));
}

std::string first_difference(const std::string& a, const std::string& b) {
  const Result<Facts> left = read_facts(a), right = read_facts(b);
  const SourceFacts &l = left->sources[0], &r = right->sources[0];
  for (std::size_t i = 0; i < std::min(l.records.size(), r.records.size()); ++i) {
    if (l.records[i].quote != r.records[i].quote)
      return "records " + l.records[i].quote.text + " / " + r.records[i].quote.text + " at " +
             std::to_string(l.records[i].quote.offset) + " / " +
             std::to_string(r.records[i].quote.offset);
    if (l.records[i].first != r.records[i].first || l.records[i].last != r.records[i].last)
      return "stamps of " + l.records[i].quote.text + " at " +
             std::to_string(l.records[i].quote.offset);
  }
  for (std::size_t i = 0; i < std::min(l.events.size(), r.events.size()); ++i) {
    if (static_cast<const Item&>(l.events[i]) != static_cast<const Item&>(r.events[i]))
      return "events " + l.events[i].quote.text + " at " +
             std::to_string(l.events[i].quote.offset) + " x " + std::to_string(l.events[i].count) +
             " / " + std::to_string(r.events[i].count);
  }
  return "elsewhere";
}

// FIRSTFAULT_RANDOM_LINES sets how many lines each of the texts has.
TEST(Reading, WindowsAndEnginesGiveWhatLineByLineGives) {
  const char* const wanted = std::getenv("FIRSTFAULT_RANDOM_LINES");
  const std::size_t lines = wanted == nullptr ? 3000 : std::strtoull(wanted, nullptr, 10);
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    Text text(seed);
    const std::string log = text.make(lines, seed % 2 == 0);
    const std::string expected = bytes_of(test::read_naively(log, book()));
    for (const auto engine :
         {LiteralScanner::Engine::aho_corasick, LiteralScanner::Engine::hyperscan}) {
      const std::string got = read_in_windows(log, engine, text);
      ASSERT_TRUE(got == expected) << "seed " << seed << " engine " << static_cast<int>(engine)
                                   << ": " << first_difference(got, expected);
    }
  }
}

TEST(Reading, HostileLinesStayLinear) {
  // Words without an end, and an end without words: what counts is that this returns at once.
  for (const std::string& unit : {std::string("error "), std::string("NCCL WARN "),
                                  std::string("[rank0]:["), std::string("\r"), std::string("x")}) {
    std::string text;
    while (text.size() < (4u << 20)) text += unit;
    Text random(1);
    EXPECT_FALSE(read_in_windows(text, LiteralScanner::Engine::hyperscan, random).empty()) << unit;
  }
}

}  // namespace
}  // namespace firstfault
