// Times the parts of reading in one process, in turn, so that their ratios mean something on a
// noisy machine. Prints one line a mode: median of seconds (CPU time of the thread), GB/s, ratio to
// the newline count.
//
//   bench_scan ROUNDS FILE...
//   bench_scan --patterns      the anchors' patterns, one a line, for ripgrep
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "parser/read.h"
#include "parser/scan/region.h"
#include "parser/scan/vocabulary.h"
#include "rules/reference_matcher.h"
#include "rules/rulebook.h"
#include "rules/signature.h"

namespace firstfault {
namespace {

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

std::uint64_t each_window(const std::vector<std::string>& files,
                          const std::function<void(std::string_view)>& use) {
  static std::vector<char> buffer(256u << 10);
  std::uint64_t bytes = 0;
  for (const std::string& file : files) {
    const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
      std::perror(file.c_str());
      std::exit(1);
    }
    for (ssize_t n; (n = read(fd, buffer.data(), buffer.size())) > 0;) {
      bytes += static_cast<std::uint64_t>(n);
      use({buffer.data(), static_cast<std::size_t>(n)});
    }
    close(fd);
  }
  return bytes;
}

struct Mode {
  std::string name;
  std::function<std::uint64_t()> run;  // bytes
  std::vector<double> seconds;
};

int bench(int rounds, const std::vector<std::string>& files) {
  Result<Rulebook> book = Rulebook::built_in();
  if (!book) {
    std::fprintf(stderr, "%s\n", book.error().message.c_str());
    return 1;
  }
  std::uint64_t sink = 0;
  const auto scan_with = [&](LiteralScanner::Engine engine) {
    return [&, engine] {
      static std::vector<std::pair<LiteralScanner::Engine, Vocabulary*>> made;
      Vocabulary* vocabulary = nullptr;
      for (auto& [e, v] : made) {
        if (e == engine) vocabulary = v;
      }
      if (vocabulary == nullptr) {
        vocabulary = new Vocabulary(book->matcher(), engine);
        made.emplace_back(engine, vocabulary);
      }
      LiteralScanner::Scratch scratch(vocabulary->scanner());
      std::vector<LiteralScanner::Hit> hits;
      return each_window(files, [&](std::string_view window) {
        vocabulary->scanner().scan(window, scratch, &hits);
        sink += hits.size();
      });
    };
  };
  const auto read_with = [&](std::optional<LiteralScanner::Engine> engine) {
    return [&, engine] {
      ReadOptions options;
      options.threads = 1;
      options.engine = engine;
      const Facts facts = read_inputs(files, book->matcher(), options);
      std::uint64_t bytes = 0;
      for (const SourceFacts& source : facts.sources) {
        bytes += source.info.bytes;
        sink += source.records.size() + source.events.size();
      }
      return bytes;
    };
  };
  std::vector<Mode> modes;
  modes.push_back(
      {"newlines",
       [&] { return each_window(files, [&](std::string_view w) { sink += count_newlines(w); }); },
       {}});
  if (LiteralScanner::hyperscan_built_in())
    modes.push_back({"literals_libhs", scan_with(LiteralScanner::Engine::hyperscan), {}});
  modes.push_back({"literals_aho", scan_with(LiteralScanner::Engine::aho_corasick), {}});
  if (LiteralScanner::hyperscan_built_in())
    modes.push_back({"read_libhs", read_with(LiteralScanner::Engine::hyperscan), {}});
  modes.push_back({"read_aho", read_with(LiteralScanner::Engine::aho_corasick), {}});
  std::vector<std::vector<double>> ratios(modes.size());
  std::uint64_t bytes = 0;
  for (int round = 0; round <= rounds; ++round) {
    std::vector<double> took;
    for (Mode& mode : modes) {
      const double start = cpu_seconds();
      bytes = mode.run();
      took.push_back(cpu_seconds() - start);
    }
    if (round == 0) continue;  // warms caches, compiles databases
    for (std::size_t i = 0; i < modes.size(); ++i) {
      modes[i].seconds.push_back(took[i]);
      ratios[i].push_back(took[0] / took[i]);
    }
  }
  const auto median = [](std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  };
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const double seconds = median(modes[i].seconds);
    fmt::print("{:16} {:9.4f} s {:7.2f} GB/s  ratio {:.3f}\n", modes[i].name, seconds,
               static_cast<double>(bytes) / seconds * 1e-9, median(ratios[i]));
  }
  return sink == 0x5eed ? 1 : 0;  // keeps the work from being optimised away
}

int patterns() {
  Result<Rulebook> book = Rulebook::built_in();
  if (!book) return 1;
  for (const Signature& s : book->reference_matcher().signatures()) {
    std::string pattern = s.pattern;
    for (std::size_t at = 0; (at = pattern.find("(?P<", at)) != std::string::npos;)
      pattern.replace(at, pattern.find('>', at) - at + 1, "(?:");
    std::puts(pattern.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace firstfault

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--patterns") return firstfault::patterns();
  if (argc < 3) {
    std::fputs("usage: bench_scan ROUNDS FILE... | --patterns\n", stderr);
    return 2;
  }
  return firstfault::bench(std::atoi(argv[1]), {argv + 2, argv + argc});
}
