// Finds every occurrence of many literal strings in a window of bytes.
//
//   LiteralScanner s({"NCCL WARN", "Xid"}, LiteralScanner::Engine::automatic);
//   LiteralScanner::Scratch scratch(s);               // one a thread
//   std::vector<LiteralScanner::Hit> hits;
//   s.scan(window, scratch, &hits);                  // hits[i].literal, hits[i].end
//
// Every occurrence is reported, overlapping ones too, in order of `end` (one past the last byte)
// and, at the same end, of literal number; both engines report exactly the same. Two engines: libhs
// (Vectorscan or Hyperscan, when built in and its self-test passes) for large inputs, a dense
// Aho-Corasick automaton otherwise, whose construction takes less time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace firstfault {

class LiteralScanner {
 public:
  enum class Engine : std::uint8_t { automatic, aho_corasick, hyperscan };

  // Literals must not be empty. Engine::hyperscan falls back to Aho-Corasick when libhs is not
  // built in, not usable on this processor, or fails its self-test; engine() tells.
  LiteralScanner(std::vector<std::string> literals, Engine wanted);
  ~LiteralScanner();
  LiteralScanner(LiteralScanner&&) noexcept;
  LiteralScanner& operator=(LiteralScanner&&) noexcept;

  static bool hyperscan_built_in();

  Engine engine() const;  // aho_corasick or hyperscan
  std::size_t literal_count() const;
  const std::string& literal(std::uint32_t number) const;

  // Working memory of one thread; belongs to the scanner it was made for.
  class Scratch {
   public:
    explicit Scratch(const LiteralScanner& scanner);
    ~Scratch();
    Scratch(Scratch&&) noexcept;

   private:
    friend class LiteralScanner;
    struct Impl;
    std::unique_ptr<Impl> impl_;
  };

  struct Hit {
    std::uint32_t literal;
    std::size_t end;
    friend bool operator==(const Hit&, const Hit&) = default;
  };

  // Replaces *hits by all occurrences in `window`.
  void scan(std::string_view window, Scratch& scratch, std::vector<Hit>* hits) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firstfault
