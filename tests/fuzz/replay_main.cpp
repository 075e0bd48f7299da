// Runs a fuzz target without libFuzzer: over every seed, every cut of it and damaged copies of it.
// The damage comes from a fixed generator, so a failure repeats.
//
//   fuzz_pickle seeds/pickle        # exit 0 when nothing crashed; 2 when there was no seed
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kCuts = 512;
constexpr int kDamaged = 512;

void run(const std::string& input) {
  // An exact heap copy, so that address sanitizers see a read behind its end.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::uint64_t next(std::uint64_t* state) {  // xorshift64
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

void run_variants(const std::string& seed) {
  run(seed);
  if (seed.empty()) return;
  const std::size_t step = std::max<std::size_t>(1, seed.size() / kCuts);
  for (std::size_t cut = 0; cut < seed.size(); cut += step) run(seed.substr(0, cut));
  std::uint64_t state = 0x9e3779b97f4a7c15ULL;
  for (int i = 0; i < kDamaged; ++i) {
    std::string damaged = seed;
    for (std::uint64_t n = 1 + next(&state) % 4; n != 0; --n) {
      damaged[next(&state) % damaged.size()] = static_cast<char>(next(&state));
    }
    run(damaged);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> seeds;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
      seeds.push_back(entry.path());
  }
  std::sort(seeds.begin(), seeds.end());
  run("");
  for (const std::filesystem::path& seed : seeds) {
    std::ifstream in(seed, std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "cannot open %s\n", seed.c_str());
      return 2;
    }
    run_variants({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
  }
  std::printf("%zu seeds\n", seeds.size());
  return seeds.empty() ? 2 : 0;
}
