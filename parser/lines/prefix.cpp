#include "parser/lines/prefix.h"

#include <array>
#include <optional>

#include "base/text.h"
#include "parser/lines/time_forms.h"

namespace firstfault {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool host_char(char c) {
  return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
         c == '.';
}

struct Cursor {
  std::string_view text;
  Piece* piece;
};

// Layers that stand in front of a line. Each takes its text off and notes what it says, or leaves
// the cursor alone. New forms are new rows.
using Strip = bool (*)(Cursor&);

bool pasted_escape(Cursor& c) {  // ESC [ ... m
  std::string_view t = c.text;
  if (!consume(&t, "\x1b[")) return false;
  while (!t.empty() && (digit(t[0]) || t[0] == ';')) t.remove_prefix(1);
  if (!consume(&t, "m")) return false;
  c.text = t;
  return true;
}

bool srun_label(Cursor& c) {  // "3: ", " 3: "
  std::string_view t = c.text;
  while (consume(&t, " ")) {
  }
  const auto task = consume_int(&t);
  if (!task || *task > 1'000'000 || !consume(&t, ": ")) return false;
  c.text = t;
  c.piece->facts.speaker.task = static_cast<std::int32_t>(*task);
  c.piece->facts.has_label = true;
  return true;
}

bool mpirun_tag(Cursor& c) {  // "[1,3]<stderr>:"
  std::string_view t = c.text;
  if (!consume(&t, "[") || !consume_int(&t) || !consume(&t, ",")) return false;
  const auto rank = consume_int(&t);
  if (!rank || !consume(&t, "]<")) return false;
  const auto stream = consume_until(&t, ">:");
  if (!stream || !stream->starts_with("std")) return false;
  consume(&t, " ");
  c.text = t;
  c.piece->facts.speaker.task = static_cast<std::int32_t>(*rank);
  c.piece->facts.has_label = true;
  return true;
}

bool torchrun_tag(Cursor& c) {  // "[default3]:"
  std::string_view t = c.text;
  if (!consume(&t, "[default")) return false;
  const auto local = consume_int(&t);
  if (!local || !consume(&t, "]:")) return false;
  c.text = t;
  c.piece->facts.speaker.local_rank = static_cast<std::int32_t>(*local);
  c.piece->facts.has_label = true;
  return true;
}

bool rank_tag(Cursor& c) {  // "[rank3]:" in front of c10d, "[rank3]: " of the excepthook
  std::string_view t = c.text;
  if (!consume(&t, "[rank")) {
    if (!consume(&t, "rank")) return false;  // torn: the bracket is missing
  }
  const auto rank = consume_int(&t);
  if (!rank || !consume(&t, "]:")) return false;
  c.piece->view.excepthook = t.starts_with(" ") || t.empty();
  consume(&t, " ");
  c.text = t;
  c.piece->facts.speaker.global_rank = static_cast<std::int32_t>(*rank);
  c.piece->facts.has_label = true;
  return true;
}

bool actor_tag(Cursor& c) {  // Ray, vLLM: "(RayTrainWorker pid=4242, ip=10.0.0.1) "
  std::string_view t = c.text;
  if (!consume(&t, "(")) return false;
  const auto inside = consume_until(&t, ") ");
  if (!inside || inside->size() > 120) return false;
  const std::size_t at = inside->find("pid=");
  if (at == std::string_view::npos) return false;
  std::string_view rest = inside->substr(at + 4);
  const auto pid = consume_int(&rest);
  if (!pid) return false;
  if (consume(&rest, ", ip=")) c.piece->facts.speaker.host = std::string(rest);
  if (const std::size_t r = inside->find("rank="); r != std::string_view::npos) {
    std::string_view number = inside->substr(r + 5);
    if (const auto rank = consume_int(&number))
      c.piece->facts.speaker.global_rank = static_cast<std::int32_t>(*rank);
  }
  c.piece->facts.speaker.pid = *pid;
  c.piece->facts.has_label = true;
  c.text = t;
  return true;
}

bool kubectl_tag(Cursor& c) {  // "[pod/trainer-worker-1/pytorch] "
  std::string_view t = c.text;
  if (!consume(&t, "[pod/")) return false;
  const auto pod = consume_until(&t, "/");
  if (!pod || !consume_until(&t, "] ")) return false;
  c.piece->facts.speaker.host = std::string(*pod);
  c.piece->facts.has_label = true;
  c.text = t;
  return true;
}

bool cri_tag(Cursor& c) {  // behind a time: "stderr F "
  std::string_view t = c.text;
  if (!consume(&t, "stdout ") && !consume(&t, "stderr ")) return false;
  if (!consume(&t, "F ") && !consume(&t, "P ")) return false;
  c.text = t;
  return true;
}

bool boot_time(Cursor& c) {  // "[  229.256144] "
  std::string_view t = c.text;
  const auto time = consume_boot_time(&t);
  if (!time) return false;
  c.piece->facts.stamp = *time;
  c.text = t;
  return true;
}

bool wall_time(Cursor& c) {  // ISO, "2026-12-01 04:01:11,710 ", "[Sun Feb 23 16:24:18 2025] ", "Aug
                             // 10 15:36:05 host kernel: "
  std::string_view t = c.text;
  std::string host;
  const auto time = consume_wall_time(&t, &host);
  if (!time) return false;
  if (c.piece->facts.stamp.clock == Clock::none) c.piece->facts.stamp = *time;
  if (!host.empty()) c.piece->facts.speaker.host = host;
  c.text = t;
  return true;
}

struct LayerRow {
  const char* id;
  Strip strip;
};
constexpr LayerRow kLayers[] = {
    {"ansi", pasted_escape},    {"srun", srun_label}, {"mpirun", mpirun_tag},
    {"torchrun", torchrun_tag}, {"ray", actor_tag},   {"kubectl", kubectl_tag},
    {"boot", boot_time},        {"wall", wall_time},  {"cri", cri_tag},
    {"rank", rank_tag},
};

// "[E1201 03:44:59.594968084 ProcessGroupNCCL.cpp:689] ", "[E ProcessGroupNCCL.cpp:563] "
bool c10d_prefix(std::string_view t, Piece* piece, std::string_view* rest) {
  if (!consume(&t, "[") || t.empty() ||
      std::string_view("VIWEF").find(t[0]) == std::string_view::npos)
    return false;
  const std::string_view level = t.substr(0, 1);
  t.remove_prefix(1);
  Stamp stamp;
  if (!t.empty() && digit(t[0])) {
    const auto when = consume_c10d_time(&t);
    if (!when) return false;
    stamp = *when;
  }
  if (!consume(&t, " ")) return false;
  const auto place = consume_until(&t, "] ");
  if (!place || place->size() > 80) return false;
  const std::size_t colon = place->rfind(':');
  if (colon == std::string_view::npos) return false;
  const auto line = parse_int<std::int32_t>(place->substr(colon + 1));
  const std::string_view file = place->substr(0, colon);
  if (!line || file.find(' ') != std::string_view::npos) return false;
  piece->view.layer = Layer::c10d;
  piece->view.level = level;
  piece->view.code_file = file;
  piece->view.code_line = *line;
  if (stamp.clock != Clock::none) piece->facts.stamp = stamp;
  *rest = t;
  return true;
}

// "E1201 03:44:59.123000 442 torch/distributed/run.py:851] "
bool python_logging_prefix(std::string_view t, Piece* piece, std::string_view* rest) {
  if (t.size() < 20 || std::string_view("VIWEFC").find(t[0]) == std::string_view::npos ||
      !digit(t[1]))
    return false;
  const std::string_view level = t.substr(0, 1);
  t.remove_prefix(1);
  const auto when = consume_python_log_time(&t);
  if (!when || !consume(&t, " ")) return false;
  const auto pid = consume_int(&t);
  if (!pid || !consume(&t, " ")) return false;
  const auto place = consume_until(&t, "]");
  if (!place) return false;
  const std::size_t colon = place->rfind(':');
  if (colon == std::string_view::npos || place->find(' ') != std::string_view::npos) return false;
  consume(&t, " ");
  piece->view.layer = Layer::python_logging;
  piece->view.level = level;
  piece->view.code_file = place->substr(0, colon);
  piece->view.code_line = parse_int<std::int32_t>(place->substr(colon + 1)).value_or(0);
  piece->facts.stamp = *when;
  if (*pid < (1 << 22)) piece->facts.speaker.pid = *pid;  // 2.3 and 2.4 print a pthread id here
  if (place->find("distributed/elastic/") != std::string_view::npos ||
      place->find("distributed/run.py") != std::string_view::npos ||
      place->find("distributed/launcher") != std::string_view::npos) {
    piece->facts.speaker.agent = true;
  }
  *rest = t;
  return true;
}

// "host:pid:tid [dev] NCCL INFO ", WARN with "file:line " in between. `mark` points at "NCCL ".
bool nccl_prefix(std::string_view line, std::size_t mark, Piece* piece, std::size_t* begin,
                 std::string_view* rest) {
  std::string_view level = line.substr(mark + 5);
  const std::size_t blank = level.find(' ');
  if (blank == std::string_view::npos) return false;
  const std::string_view behind = level.substr(blank + 1);
  level = level.substr(0, blank);
  static constexpr std::string_view kLevels[] = {"INFO", "WARN", "ATTN", "ERROR", "CALL", "TRACE"};
  bool known = false;
  for (const std::string_view l : kLevels) known |= l == level;
  if (!known) return false;
  // Walk back over "[dev] file:line (func) " to "host:pid:tid ".
  std::string_view head = line.substr(0, mark);
  if (!head.empty() && head.back() == ' ') head.remove_suffix(1);
  const std::size_t bracket = head.rfind('[');
  std::string_view before = head;
  if (bracket != std::string_view::npos && level != "CALL") {
    std::string_view in = head.substr(bracket + 1);
    const bool negative = consume(&in, "-");
    const auto device = consume_int(&in);
    if (!device || !consume(&in, "]")) return false;
    piece->view.device = static_cast<std::int32_t>(negative ? -*device : *device);
    std::string_view place = trim(in);
    if (!place.empty()) {
      if (const std::size_t paren = place.find(" ("); paren != std::string_view::npos)
        place = place.substr(0, paren);
      const std::size_t colon = place.rfind(':');
      if (colon == std::string_view::npos) return false;
      piece->view.code_file = place.substr(0, colon);
      piece->view.code_line = parse_int<std::int32_t>(place.substr(colon + 1)).value_or(0);
    }
    before = trim(head.substr(0, bracket));
  }
  // host:pid:tid at the end of `before`
  const std::size_t tid_colon = before.rfind(':');
  if (tid_colon == std::string_view::npos || tid_colon == 0) return false;
  const std::size_t pid_colon = before.rfind(':', tid_colon - 1);
  if (pid_colon == std::string_view::npos) return false;
  const auto tid = parse_int<std::int64_t>(before.substr(tid_colon + 1));
  const auto pid = parse_int<std::int64_t>(before.substr(pid_colon + 1, tid_colon - pid_colon - 1));
  if (!tid || !pid) return false;
  std::size_t start = pid_colon;
  while (start > 0 && host_char(before[start - 1])) --start;
  if (start == pid_colon) return false;
  *begin = start;
  *rest = behind;
  piece->view.layer = Layer::nccl;
  piece->view.level = level;
  piece->view.tid = *tid;
  piece->facts.speaker.host = std::string(before.substr(start, pid_colon - start));
  piece->facts.speaker.pid = *pid;
  return true;
}

void strip_one(std::string_view line, std::uint64_t offset, std::uint32_t number,
               std::vector<Piece>* out) {
  Piece piece;
  piece.view.whole = line;
  piece.view.offset = offset;
  piece.view.number = number;
  Cursor cursor{line, &piece};
  for (bool again = true; again;) {
    again = false;
    for (const LayerRow& row : kLayers) again |= row.strip(cursor);
  }
  std::string_view rest = cursor.text;
  if (!c10d_prefix(cursor.text, &piece, &rest) &&
      !python_logging_prefix(cursor.text, &piece, &rest)) {
    for (std::size_t mark = cursor.text.find("NCCL "); mark != std::string_view::npos;
         mark = cursor.text.find("NCCL ", mark + 1)) {
      std::size_t begin = 0;
      Piece nccl = piece;
      if (!nccl_prefix(cursor.text, mark, &nccl, &begin, &rest)) continue;
      std::string_view time = cursor.text.substr(0, begin);
      std::string ignored;
      if (const auto when = consume_wall_time(&time, &ignored)) nccl.facts.stamp = *when;
      piece = nccl;
      break;
    }
  }
  piece.view.text = rest;
  piece.view.stamp = piece.facts.stamp;
  out->push_back(std::move(piece));
}

// Where a second c10d or NCCL line is glued behind other text: offset of its first byte.
std::optional<std::size_t> glued_at(std::string_view line, std::size_t from) {
  for (std::size_t at = line.find("[rank", from); at != std::string_view::npos;
       at = line.find("[rank", at + 1)) {
    std::string_view t = line.substr(at + 5);
    if (consume_int(&t) && consume(&t, "]:[") && at > 0) return at;
  }
  for (std::size_t at = line.find(" NCCL ", from); at != std::string_view::npos;
       at = line.find(" NCCL ", at + 1)) {
    Piece probe;
    std::size_t begin = 0;
    std::string_view rest;
    if (nccl_prefix(line, at + 1, &probe, &begin, &rest) && begin > from) return begin;
  }
  return std::nullopt;
}

}  // namespace

void strip_prefixes(std::string_view line, std::uint64_t offset, std::uint32_t number, SourceKind,
                    std::vector<Piece>* out) {
  // A progress bar redraws itself with \r: only what follows counts, but an error may stand in any
  // part.
  for (std::size_t begin = 0; begin <= line.size();) {
    std::size_t end = line.find('\r', begin);
    if (end == std::string_view::npos) end = line.size();
    std::string_view part = line.substr(begin, end - begin);
    if (!part.empty() || (begin == 0 && end == line.size())) {
      std::uint64_t at = offset + begin;
      for (std::optional<std::size_t> cut = glued_at(part, 1); cut; cut = glued_at(part, 1)) {
        // A label in front of the only message is no glue.
        std::vector<Piece> probe;
        strip_one(part, at, number, &probe);
        if (probe.back().view.layer != Layer::plain &&
            static_cast<std::size_t>(probe.back().view.text.data() - part.data()) > *cut)
          break;
        strip_one(part.substr(0, *cut), at, number, out);
        at += *cut;
        part.remove_prefix(*cut);
      }
      strip_one(part, at, number, out);
    }
    begin = end + 1;
  }
}

}  // namespace firstfault
