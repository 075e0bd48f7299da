// The source line of a machine address, from DWARF line tables (".debug_line") of versions 2 to 5.
// Format: DWARF 5, section 6.2. NVIDIA's cubins carry version 2 with extended opcodes of their own,
// which are passed over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace firstfault {

struct SourceLine {
  std::string file;  // as the table names it ("bad.cu"), "" unknown; valid UTF-8
  std::uint32_t line = 0;

  bool known() const { return line > 0 && !file.empty(); }
};

// Contents of ".debug_line" and, for version 5 only, ".debug_line_str".
struct LineTables {
  std::string_view program, strings;
};

// The line of the instruction at `address`. Work is linear in the tables; damage ends the table it
// stands in. `steps` (may be null) counts opcodes, for tests.
SourceLine find_line(const LineTables& tables, std::uint64_t address,
                     std::uint64_t* steps = nullptr);

}  // namespace firstfault
