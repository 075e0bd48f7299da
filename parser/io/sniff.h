// What a source is, told from its first bytes (names only hint).
#pragma once
#include <string_view>

#include "model/facts.h"

namespace firstfault {

// How much of a source is looked at: fixed, so that a file and its compressed copy are told alike.
inline constexpr std::size_t kSniffBytes = 256u << 10;

enum class Container : std::uint8_t { none, gzip, compressed, archive };

Container sniff_container(std::string_view head);
// `head` holds the first kSniffBytes (or everything).
SourceKind sniff_kind(std::string_view head, std::string_view path);
// NUL bytes or mostly control bytes: no text, and no known structure.
bool looks_binary(std::string_view head);

// What folder and file names say about the process that wrote the file; -1 = nothing. The deepest
// word wins: ".../attempt_0/3/stderr.log", "ranks/3/", "rank_3/", "nccl_trace_rank_3", "rank3.err",
// "_dump_12", "worker-4/". Members of archives count as folders: "job.tar!ranks/3/stdout.log".
struct PathHints {
  std::int32_t rank = -1, attempt = -1;
};
PathHints path_hints(std::string_view path);

// The number that a file's name ends in, as in TORCH_FR_DUMP_TEMP_FILE=/tmp/fr_ -> "/tmp/fr_12"; -1
// if none. Only for files that are known to be one rank's.
std::int32_t trailing_rank(std::string_view path);

}  // namespace firstfault
