#include "parser/io/sniff.h"

#include <optional>
#include <vector>

#include "base/text.h"

namespace firstfault {

namespace {

bool has(std::string_view head, std::string_view word) {
  return head.find(word) != std::string_view::npos;
}

std::optional<std::int32_t> trailing_number(std::string_view word) {
  std::size_t n = word.size();
  while (n > 0 && word[n - 1] >= '0' && word[n - 1] <= '9') --n;
  if (n == word.size() || word.size() - n > 6) return std::nullopt;
  return parse_int<std::int32_t>(word.substr(n));
}

}  // namespace

Container sniff_container(std::string_view head) {
  static constexpr std::string_view kMagics[] = {std::string_view("\x1f\x8b", 2),
                                                 std::string_view("\xfd"
                                                                  "7zXZ",
                                                                  5),
                                                 std::string_view("\x28\xb5\x2f\xfd", 4),
                                                 std::string_view("BZh", 3),
                                                 std::string_view("PK\x03\x04", 4)};
  for (const std::string_view magic : kMagics) {
    if (head.starts_with(magic)) return Container::archive_or_compressed;
  }
  return head.size() > 262 && head.substr(257, 5) == "ustar" ? Container::archive_or_compressed
                                                             : Container::none;
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
    if (has(head, "\"pg_config\"") || has(head, "\"entries\"")) return SourceKind::flight_recorder;
    if (has(head, "\"py_callstack\"") || (has(head, "\"message\"") && has(head, "\"timestamp\"")))
      return SourceKind::error_json;
  }
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

PathHints path_hints(std::string_view path) {
  PathHints out;
  const std::vector<std::string_view> parts = split(path, '/');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string_view part = parts[i];
    const bool last = i + 1 == parts.size();
    if (std::string_view k = part; consume(&k, "attempt_")) {
      if (const auto n = parse_int<std::int32_t>(k)) out.attempt = *n;
    }
    if (!last) {
      if (const auto n = parse_int<std::int32_t>(part);
          n && *n < 100'000 && i > 0 &&
          (parts[i - 1].starts_with("attempt_") || parts[i - 1] == "ranks" ||
           parts[i - 1] == "rank")) {
        out.rank = *n;
      }
      continue;
    }
    std::string_view stem = part;
    for (const std::string_view ext :
         {".log", ".txt", ".out", ".err", ".json", ".pickle", ".pkl"}) {
      if (stem.ends_with(ext)) stem.remove_suffix(ext.size());
    }
    for (const std::string_view mark : {"rank", "_dump_"}) {
      if (stem.find(mark) != std::string_view::npos) {
        if (const auto n = trailing_number(stem)) out.rank = *n;
      }
    }
  }
  return out;
}

}  // namespace firstfault
