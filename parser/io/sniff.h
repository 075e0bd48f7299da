// What a source is, told from its first bytes (names only hint).
#pragma once
#include <string_view>

#include "model/facts.h"

namespace firstfault {

enum class Container : std::uint8_t { none, archive_or_compressed };

Container sniff_container(std::string_view head);
// `head` holds at least the first 4 KiB (or everything).
SourceKind sniff_kind(std::string_view head, std::string_view path);
// NUL bytes or mostly control bytes: no text, and no known structure.
bool looks_binary(std::string_view head);

struct PathHints {
  std::int32_t rank = -1, attempt = -1;
};
// ".../attempt_0/3/stderr.log", "ranks/3/", "nccl_trace_rank_3", "_dump_12"
PathHints path_hints(std::string_view path);

}  // namespace firstfault
