#include "base/literal_scanner.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/aho_corasick.h"
#ifdef FIRSTFAULT_HAVE_HS
#include <hs.h>
#endif

namespace firstfault {

namespace {

using Hit = LiteralScanner::Hit;

#ifdef FIRSTFAULT_HAVE_HS

// libhs takes escaped literals through its ordinary multi-pattern call: the pure-literal call fails
// in Hyperscan 5.4.2 (Ubuntu 24.04).
std::string escaped(const std::string& literal) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : literal) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

class HsDatabase {
 public:
  static std::optional<HsDatabase> compile(const std::vector<std::string>& literals) {
    if (hs_valid_platform() != HS_SUCCESS || literals.empty()) return std::nullopt;
    std::vector<std::string> patterns;
    std::vector<const char*> pointers;
    std::vector<unsigned> ids, flags;
    for (const std::string& literal : literals) patterns.push_back(escaped(literal));
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      pointers.push_back(patterns[i].c_str());
      ids.push_back(static_cast<unsigned>(i));
      flags.push_back(HS_FLAG_DOTALL);
    }
    hs_database_t* database = nullptr;
    hs_compile_error_t* error = nullptr;
    const hs_error_t result = hs_compile_multi(pointers.data(), flags.data(), ids.data(),
                                               static_cast<unsigned>(pointers.size()),
                                               HS_MODE_BLOCK, nullptr, &database, &error);
    if (error != nullptr) hs_free_compile_error(error);
    if (result != HS_SUCCESS) return std::nullopt;
    HsDatabase out;
    out.database_.reset(database);
    return out;
  }

  hs_scratch_t* new_scratch() const {
    hs_scratch_t* scratch = nullptr;
    return hs_alloc_scratch(database_.get(), &scratch) == HS_SUCCESS ? scratch : nullptr;
  }

  bool scan(std::string_view window, hs_scratch_t* scratch, std::vector<Hit>* hits) const {
    const auto collect = [](unsigned id, unsigned long long, unsigned long long to, unsigned,
                            void* context) {
      static_cast<std::vector<Hit>*>(context)->push_back({id, static_cast<std::size_t>(to)});
      return 0;
    };
    return hs_scan(database_.get(), window.data(), static_cast<unsigned>(window.size()), 0, scratch,
                   collect, hits) == HS_SUCCESS;
  }

 private:
  struct Free {
    void operator()(hs_database_t* d) const { hs_free_database(d); }
  };
  std::unique_ptr<hs_database_t, Free> database_;
};

struct FreeScratch {
  void operator()(hs_scratch_t* s) const { hs_free_scratch(s); }
};

#endif

void sort_hits(std::vector<Hit>* hits) {
  const auto order = [](const Hit& a, const Hit& b) {
    return a.end != b.end ? a.end < b.end : a.literal < b.literal;
  };
  if (!std::is_sorted(hits->begin(), hits->end(), order)) {
    std::sort(hits->begin(), hits->end(), order);
  }
}

}  // namespace

struct LiteralScanner::Impl {
  std::vector<std::string> literals;
  std::optional<AhoCorasick> automaton;
#ifdef FIRSTFAULT_HAVE_HS
  std::optional<HsDatabase> database;

  // Every literal must be found in a text that holds them all, with and without neighbours.
  bool self_test() const {
    std::unique_ptr<hs_scratch_t, FreeScratch> scratch(database->new_scratch());
    if (scratch == nullptr) return false;
    std::string text;
    std::vector<std::size_t> ends;
    for (const std::string& literal : literals) {
      text += '\n' + literal;
      ends.push_back(text.size());
    }
    std::vector<Hit> hits;
    if (!database->scan(text, scratch.get(), &hits)) return false;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const Hit expected{static_cast<std::uint32_t>(i), ends[i]};
      if (std::find(hits.begin(), hits.end(), expected) == hits.end()) return false;
    }
    return true;
  }
#endif
};

struct LiteralScanner::Scratch::Impl {
#ifdef FIRSTFAULT_HAVE_HS
  std::unique_ptr<hs_scratch_t, FreeScratch> hs;
#endif
};

LiteralScanner::LiteralScanner(std::vector<std::string> literals, Engine wanted)
    : impl_(std::make_unique<Impl>()) {
  impl_->literals = std::move(literals);
#ifdef FIRSTFAULT_HAVE_HS
  if (wanted == Engine::hyperscan) {
    impl_->database = HsDatabase::compile(impl_->literals);
    if (impl_->database && !impl_->self_test()) impl_->database.reset();
    if (impl_->database) return;
  }
#else
  (void)wanted;
#endif
  impl_->automaton.emplace(impl_->literals);
}

LiteralScanner::~LiteralScanner() = default;
LiteralScanner::LiteralScanner(LiteralScanner&&) noexcept = default;
LiteralScanner& LiteralScanner::operator=(LiteralScanner&&) noexcept = default;

bool LiteralScanner::hyperscan_built_in() {
#ifdef FIRSTFAULT_HAVE_HS
  return true;
#else
  return false;
#endif
}

LiteralScanner::Engine LiteralScanner::engine() const {
  return impl_->automaton ? Engine::aho_corasick : Engine::hyperscan;
}

std::size_t LiteralScanner::literal_count() const { return impl_->literals.size(); }

const std::string& LiteralScanner::literal(std::uint32_t number) const {
  return impl_->literals[number];
}

LiteralScanner::Scratch::Scratch(const LiteralScanner& scanner) : impl_(std::make_unique<Impl>()) {
#ifdef FIRSTFAULT_HAVE_HS
  if (scanner.impl_->database) impl_->hs.reset(scanner.impl_->database->new_scratch());
#else
  (void)scanner;
#endif
}

LiteralScanner::Scratch::~Scratch() = default;
LiteralScanner::Scratch::Scratch(Scratch&&) noexcept = default;

void LiteralScanner::scan(std::string_view window, Scratch& scratch, std::vector<Hit>* hits) const {
  hits->clear();
#ifdef FIRSTFAULT_HAVE_HS
  if (impl_->database && scratch.impl_->hs != nullptr &&
      window.size() <= std::numeric_limits<unsigned>::max() &&
      impl_->database->scan(window, scratch.impl_->hs.get(), hits)) {
    sort_hits(hits);
    return;
  }
  hits->clear();
#endif
  (void)scratch;
  if (impl_->automaton) {
    impl_->automaton->scan(window, [&](std::uint32_t literal, std::size_t end) {
      hits->push_back({literal, end});
    });
  } else {
    // The library refused this window: find the same occurrences the slow, obvious way.
    for (std::uint32_t i = 0; i < impl_->literals.size(); ++i) {
      const std::string& literal = impl_->literals[i];
      for (std::size_t at = window.find(literal); at != std::string_view::npos;
           at = window.find(literal, at + 1)) {
        hits->push_back({i, at + literal.size()});
      }
    }
  }
  sort_hits(hits);
}

}  // namespace firstfault
