#include "parser/io/sniff.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "parser/dumps/sanitizer_xml.h"
#include "parser/nccl/ras_json.h"

namespace firstfault {

namespace {

bool has(std::string_view head, std::string_view word) {
  return head.find(word) != std::string_view::npos;
}

constexpr std::int32_t kMaxRank = 1'000'000;

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Words that a rank's number follows, directly or behind one of "_-.=". Longest first.
constexpr std::string_view kRankWords[] = {"worker", "ranks", "rank", "dump"};
// Files that a launcher makes in a folder named after the rank alone.
constexpr std::string_view kRankFiles[] = {"stdout", "stderr", "error.json", "filtered_std"};

std::optional<std::int32_t> whole_number(std::string_view word) {
  const auto n = parse_int<std::int32_t>(word);
  return n && digit(word[0]) && *n < kMaxRank ? n : std::nullopt;
}

// "nccl_trace_rank_3", "rank3.err", "worker-4", "nccl_trace_rank_node-b_5": the number of the rank.
std::optional<std::int32_t> rank_in(std::string_view part) {
  const std::string lower = to_lower(part);
  std::optional<std::int32_t> found;
  for (const std::string_view word : kRankWords) {
    for (std::size_t at = lower.find(word); at != std::string::npos;
         at = lower.find(word, at + 1)) {
      if (at > 0 && letter(lower[at - 1])) continue;
      std::string_view rest = std::string_view(lower).substr(at + word.size());
      if (!rest.empty() && std::string_view("_-.=").find(rest[0]) != std::string_view::npos)
        rest.remove_prefix(1);
      std::size_t n = 0;
      while (n < rest.size() && digit(rest[n])) ++n;
      const bool range =
          n + 1 < rest.size() && rest[n] == '-' && digit(rest[n + 1]);  // "ranks_0-7"
      if (n > 0 && !range && (n == rest.size() || !letter(rest[n]))) {
        if (const auto rank = whole_number(rest.substr(0, n))) found = rank;
      } else if (n == 0 && word == "rank" && has(lower, "trace_rank_")) {
        std::size_t tail = rest.size();  // a host stands between the word and the number
        while (tail > 0 && digit(rest[tail - 1])) --tail;
        if (tail < rest.size() && tail > 0 && rest[tail - 1] == '_')
          if (const auto rank = whole_number(rest.substr(tail))) found = rank;
      }
      if (found) return found;
    }
  }
  return found;
}

}  // namespace

Container sniff_container(std::string_view head) {
  struct Magic {
    std::string_view bytes;
    Container container;
  };
  static constexpr Magic kMagics[] = {
      {std::string_view("\x1f\x8b\x08", 3), Container::gzip},
      {std::string_view("\xfd\x37zXZ\0", 6), Container::compressed},
      {std::string_view("\x28\xb5\x2f\xfd", 4), Container::compressed},
      {std::string_view("PK\x03\x04", 4), Container::archive},
      {std::string_view("PK\x05\x06", 4), Container::archive},  // a zip without members
  };
  for (const Magic& magic : kMagics) {
    if (head.starts_with(magic.bytes)) return magic.container;
  }
  // bzip2: "BZh", a digit, and the first block's magic (or that of the end of an empty file)
  if (head.size() >= 10 && head.starts_with("BZh") && head[3] >= '1' && head[3] <= '9' &&
      (head.substr(4, 6) == "1AY&SY" || head.substr(4, 4) == "\x17\x72\x45\x38"))
    return Container::compressed;
  return head.size() > 262 && head.substr(257, 5) == "ustar" ? Container::archive : Container::none;
}

SourceKind sniff_kind(std::string_view head, std::string_view path) {
  if (trim(head).empty()) return SourceKind::empty;
  if (head.starts_with("\x80") && head.size() > 2 && head[1] >= 2 && head[1] <= 5)
    return SourceKind::flight_recorder;
  if (head.starts_with("\x7f"
                       "ELF")) {
    return head.size() > 19 && static_cast<unsigned char>(head[18]) == 0xBE ? SourceKind::gpu_core
                                                                            : SourceKind::host_core;
  }
  const std::string_view text = trim(head);
  if (text.starts_with("{")) {
    if (is_ras_json(head)) return SourceKind::ras_status;
    if (has(head, "\"pg_config\"") || has(head, "\"entries\"") || has(head, "\"pg_status\""))
      return SourceKind::flight_recorder;
    if (has(head, "\"py_callstack\"") || (has(head, "\"message\"") && has(head, "\"timestamp\"")))
      return SourceKind::error_json;
  }
  if (text.starts_with("[") && has(head, "\"profiling_name\"")) return SourceKind::flight_recorder;
  if (text.starts_with("OK") && is_ras_json(head)) return SourceKind::ras_status;
  if (is_sanitizer_xml(head)) return SourceKind::sanitizer;
  if (text.starts_with("========= COMPUTE-SANITIZER")) return SourceKind::sanitizer;
  if (has(head, "Communicators... (") && has(head, "Job summary")) return SourceKind::ras_status;
  if (has(head, "][CUDA][E]") || has(head, "][CUDA][W]")) return SourceKind::cuda_log;
  if (text.starts_with("==============NVSMI LOG==============")) return SourceKind::node_snapshot;
  if (text.starts_with("[    ") || has(head, "NVRM: ") || has(head, " kernel: ") ||
      has(path, "dmesg")) {
    if (!has(head, "NCCL INFO")) return SourceKind::kernel_log;
  }
  if (has(head, "torch/distributed/run.py") || has(head, "distributed/elastic/"))
    return SourceKind::launcher_log;
  if (has(head, "slurmstepd") || has(head, "srun: ")) return SourceKind::scheduler_log;
  return SourceKind::rank_log;
}

bool looks_binary(std::string_view head) {
  head = head.substr(0, 4096);
  if (head.empty()) return false;
  std::size_t odd = 0;
  for (const char c : head) {
    const auto b = static_cast<unsigned char>(c);
    odd += b == 0 ||
           (b < 32 && b != '\n' && b != '\r' && b != '\t' && b != 0x1b && b != '\f' && b != '\b');
  }
  return odd * 10 > head.size();
}

std::int32_t trailing_rank(std::string_view path) {
  std::string_view name = base_name(path);
  name = name.substr(0, name.find('.', 1));
  std::size_t at = name.size();
  while (at > 0 && digit(name[at - 1])) --at;
  return whole_number(name.substr(at)).value_or(-1);
}

PathHints path_hints(std::string_view path) {
  PathHints out;
  std::vector<std::string_view> parts;
  for (const std::string_view outer : split(path, '/')) {
    for (const std::string_view part : split(outer, '!')) parts.push_back(part);
  }
  // Far-away folders say where the logs are kept, not who wrote them.
  constexpr std::size_t kNear = 4;
  for (std::size_t i = parts.size() - std::min(parts.size(), kNear); i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (std::string_view k = part; consume(&k, "attempt_")) {
      if (const auto n = whole_number(k)) {
        out.attempt = *n;
        out.rank = -1;  // ranks above an attempt folder belong to something else
      }
      continue;
    }
    if (const auto rank = rank_in(part)) {
      out.rank = *rank;
      continue;
    }
    if (i == 0 || i + 1 == parts.size()) continue;
    const std::string above = to_lower(parts[i - 1]);
    bool of_rank = above.starts_with("attempt_") || above == "ranks" || above == "rank";
    for (const std::string_view file : kRankFiles)
      of_rank = of_rank || (i + 2 == parts.size() && parts[i + 1].starts_with(file));
    if (const auto n = of_rank ? whole_number(part) : std::nullopt) out.rank = *n;
  }
  return out;
}

}  // namespace firstfault
