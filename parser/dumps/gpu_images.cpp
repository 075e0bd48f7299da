#include "parser/dumps/gpu_images.h"

#include <cxxabi.h>

#include <bit>
#include <cstdlib>
#include <memory>

#include "base/text.h"
#include "parser/dumps/line_table.h"

namespace firstfault {

namespace {

constexpr std::size_t kNameBytes = 512;      // of a readable name
constexpr std::size_t kMangledBytes = 4096;  // longer names are not unfolded
constexpr int kMaxDoublings = 24;            // 16 MiB
constexpr std::size_t kSymbolBytes = 24;
constexpr std::uint8_t kFunctionSymbol = 2;
constexpr std::string_view kCode = ".text.";

// Each reference to an earlier part of a mangled name can double its length.
int references(std::string_view name) {
  int n = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != 'S' && name[i] != 'T') continue;
    std::size_t end = i + 1;
    while (end < name.size() &&
           ((name[end] >= '0' && name[end] <= '9') || (name[end] >= 'A' && name[end] <= 'Z'))) {
      ++end;
    }
    n += end < name.size() && name[end] == '_';
  }
  return n;
}

// "_ZN2at6native6kernelILi4E..." -> "at::native::kernel<...>"; "" when it does not start so.
std::string qualified_name(std::string_view mangled) {
  consume(&mangled, "_ZN") || consume(&mangled, "_Z");
  std::string out;
  while (const auto length = consume_int(&mangled)) {
    if (*length <= 0 || static_cast<std::uint64_t>(*length) > mangled.size()) return {};
    if (!out.empty()) out += "::";
    out += mangled.substr(0, static_cast<std::size_t>(*length));
    mangled.remove_prefix(static_cast<std::size_t>(*length));
  }
  if (!out.empty() && mangled.starts_with('I')) out += "<...>";
  return out;
}

struct Places {
  const ElfSection *code = nullptr, *symbols = nullptr, *lines = nullptr, *line_strings = nullptr;
};

bool holds(const ElfSection& s, std::uint64_t address) {
  return s.address != 0 && s.address <= address && address - s.address < s.size;
}

std::string text_of(const ElfFile& image, const ElfSection* section) {
  if (section == nullptr) return {};
  Result<std::string> bytes = image.content(*section);
  return bytes ? *std::move(bytes) : std::string();
}

// The innermost function symbol around the address.
std::string_view symbol_at(std::string_view symbols, std::string_view names,
                           std::uint64_t address) {
  std::string_view best;
  std::uint64_t best_size = UINT64_MAX;
  for (std::size_t at = 0; at + kSymbolBytes <= symbols.size(); at += kSymbolBytes) {
    const std::string_view row = symbols.substr(at, kSymbolBytes);
    const std::uint64_t start = u64_at(row, 8), size = u64_at(row, 16);
    if ((static_cast<std::uint8_t>(row[4]) & 0xF) != kFunctionSymbol || start == 0) continue;
    if (start > address || address - start >= size || size >= best_size) continue;
    best = string_at(names, u32_at(row, 0));
    best_size = size;
  }
  return best;
}

// A device function that was cloned into a kernel: "$_Z6kernelPf$_Z6helperPf".
std::string_view cloned_function(std::string_view symbol) {
  const std::size_t last = symbol.rfind('$');
  return last == std::string_view::npos || last == 0 ? symbol : symbol.substr(last + 1);
}

}  // namespace

std::string readable_name(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) return to_utf8(mangled, kNameBytes, nullptr);
  const int doublings = references(mangled) + std::bit_width(mangled.size());
  if (mangled.size() <= kMangledBytes && doublings <= kMaxDoublings) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &status), &std::free);
    if (status == 0 && name != nullptr) return to_utf8(name.get(), kNameBytes, nullptr);
  }
  const std::string plain = qualified_name(mangled);
  return to_utf8(plain.empty() ? mangled : std::string_view(plain), kNameBytes, nullptr);
}

GpuFunction find_function(const RandomBytes& image, std::uint64_t address, ElfWork* work) {
  GpuFunction out;
  const Result<ElfFile> elf = ElfFile::read(image, work, [&](const ElfSection& s) {
    if (s.size == 0) return false;
    if (s.type == kElfStrings || s.type == kElfSymbols) return true;
    // Debugging information is not loaded, so it has no address.
    return s.type == kElfProgBits &&
           ((s.flags & kElfExecutable) != 0 ? holds(s, address)
                                            : s.address == 0 && (s.flags & kElfLoaded) == 0);
  });
  if (!elf) return out;
  Places at;
  for (const ElfSection& s : elf->sections()) {
    if (s.type == kElfProgBits && (s.flags & kElfExecutable) != 0 && at.code == nullptr)
      at.code = &s;
    if (s.type == kElfSymbols) at.symbols = &s;
  }
  if (at.code == nullptr) return out;
  const std::string names = text_of(*elf, elf->section(elf->header().names));
  for (const ElfSection& s : elf->sections()) {
    const std::string_view name = string_at(names, s.name);
    if (name == ".debug_line") at.lines = &s;
    if (name == ".debug_line_str") at.line_strings = &s;
  }
  out.start = at.code->address;
  std::string_view of_section = string_at(names, at.code->name);
  const std::string symbols = text_of(*elf, at.symbols);
  const std::string symbol_names =
      at.symbols == nullptr ? std::string() : text_of(*elf, elf->section(at.symbols->link));
  const std::string_view symbol = symbol_at(symbols, symbol_names, address);
  if (!consume(&of_section, kCode)) of_section = symbol;
  out.kernel = readable_name(of_section);
  out.function = symbol.empty() ? out.kernel : readable_name(cloned_function(symbol));

  const std::string lines = text_of(*elf, at.lines), strings = text_of(*elf, at.line_strings);
  const SourceLine line = find_line({lines, strings}, address);
  if (line.known()) out.source = line.file + ":" + std::to_string(line.line);
  return out;
}

}  // namespace firstfault
