// The digest file (.ffd): Facts on disk, exactly. A job whose logs are long gone can be diagnosed
// again from it with better rules. Layout: docs/formats/digest.md.
//
//   std::string bytes = write_facts(facts);
//   Result<Facts> again = read_facts(bytes);      // write_facts(*again) == bytes
//
// Digests travel between machines and people: the reader takes any bytes, checks every count, index
// and enumeration, and uses memory in proportion to the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/facts.h"

namespace firstfault {

inline constexpr std::string_view kFactsMagic = "FFACTS1\n";
inline constexpr std::uint32_t kFactsFormat = 2;  // raised by every change of the payload

// `head`: the first bytes of a file, at least kFactsMagic.size() of them.
bool is_facts_file(std::string_view head);

std::string write_facts(const Facts& facts);

// Errors, apart: not a digest, a newer format, truncated, checksum wrong, contents that contradict
// themselves (an index out of range).
Result<Facts> read_facts(std::string_view bytes);

// Wraps a payload in magic, format, length and checksum; for tests that damage the payload alone.
std::string seal_facts(std::string_view payload, std::uint32_t format = kFactsFormat);

}  // namespace firstfault
