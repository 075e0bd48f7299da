#include "parser/nccl/nccl_lines.h"

#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "parser/nccl/coll_line.h"

namespace firstfault {

namespace {

// Reads "word value" pairs as NCCL prints them.
std::optional<std::string_view> consume_word(std::string_view* t) {
  std::size_t n = t->find(' ');
  if (n == std::string_view::npos) n = t->size();
  if (n == 0) return std::nullopt;
  std::string_view word = t->substr(0, n);
  t->remove_prefix(n);
  consume(t, " ");
  return word;
}

template <typename Int>
bool field(std::string_view* t, std::string_view name, Int* out) {
  std::string_view rest = *t;
  if (!consume(&rest, name) || !consume(&rest, " ")) return false;
  const auto word = consume_word(&rest);
  const auto value = word ? parse_int<Int>(*word) : std::nullopt;
  if (!value) return false;
  *out = *value;
  *t = rest;
  return true;
}

bool pointer(std::string_view* t, std::uint64_t* out) {
  std::string_view rest = *t;
  const auto word = consume_word(&rest);
  if (!word) return false;
  if (*word == "(nil)") {
    *out = 0;
  } else {
    const auto value = word->starts_with("0x") ? parse_hex(*word) : std::nullopt;
    if (!value) return false;
    *out = *value;
  }
  *t = rest;
  return true;
}

// "[Rank 3] ncclCommInitRank comm 0x.. rank 2 nranks 4 cudaDev 0 nvmlDev 0 busId 60 [parent ..]
// [commId 0x..] - Init START"
bool init_line(std::string_view t, FactSink& sink) {
  CommInit init;
  const std::size_t dash = t.rfind("- Init ");
  if (dash == std::string_view::npos) return false;
  const std::string_view phase = t.substr(dash + 7);
  if (phase != "START" && phase != "COMPLETE") return false;
  init.complete = phase == "COMPLETE";
  t = trim(t.substr(0, dash));
  const std::size_t comm = t.find("comm 0x");
  if (comm == std::string_view::npos) return false;
  t.remove_prefix(comm + 5);
  if (!pointer(&t, &init.comm) || !field(&t, "rank", &init.rank) ||
      !field(&t, "nranks", &init.nranks))
    return false;
  field(&t, "cudaDev", &init.cuda_device);
  std::int32_t nvml = -1;
  field(&t, "nvmlDev", &nvml);
  if (consume(&t, "busId ")) {
    const auto bus = consume_word(&t);
    if (bus) init.pci = pci_from_bus_id(*bus);
  }
  if (consume(&t, "parent ")) {
    std::uint64_t parent = 0;
    if (pointer(&t, &parent)) init.parent = parent;
    if (!field(&t, "splitCount", &init.split_count)) field(&t, "childCount", &init.split_count);
    field(&t, "color", &init.color);
    field(&t, "key", &init.key);
  }
  if (consume(&t, "commId ")) {
    const auto id = consume_word(&t);
    if (id) init.comm_hash = parse_hex(*id);
  }
  sink.add(std::move(init));
  return true;
}

struct EndRow {
  std::string_view text;
  CommEnd::How how;
};
constexpr EndRow kEnds[] = {{"- Abort START", CommEnd::How::abort_start},
                            {"- Abort COMPLETE", CommEnd::How::abort},
                            {"- Destroy COMPLETE", CommEnd::How::destroy}};

bool end_line(std::string_view t, FactSink& sink) {
  for (const EndRow& row : kEnds) {
    if (!t.ends_with(row.text)) continue;
    CommEnd end;
    end.how = row.how;
    if (!consume(&t, "comm ") || !pointer(&t, &end.comm) || !field(&t, "rank", &end.rank))
      return false;
    if (!field(&t, "nranks", &end.nranks)) field(&t, "nRanks", &end.nranks);
    sink.add(end);
    return true;
  }
  return false;
}

bool coll_line(std::string_view t, FactSink& sink) {
  CollLine line;
  if (!parse_coll_line(t, &line)) return false;
  sink.add_operation(line.comm, line.nranks, line.row);
  return true;
}

bool setting_line(std::string_view t, FactSink& sink) {
  if (!t.starts_with("NCCL_")) return false;
  std::string_view rest = t;
  const auto name = consume_word(&rest);
  if (!name || name->ends_with(":")) return false;
  const bool by_environment = consume(&rest, "set by environment to ");
  if (!by_environment && !consume(&rest, "set to ")) return false;
  std::string_view value = trim(rest);
  // Numeric parameters end in a dot that is not part of the value.
  if (value.ends_with(".") && value.size() > 1 &&
      parse_int<std::int64_t>(value.substr(0, value.size() - 1)))
    value.remove_suffix(1);
  sink.add(Setting{std::string(*name), std::string(value)});
  return true;
}

bool interface_line(std::string_view t, FactSink& sink) {
  const std::size_t using_at = t.find("Using ");
  if (using_at == std::string_view::npos) return false;
  const bool bootstrap = t.starts_with("Bootstrap");
  const bool net = t.starts_with("NET/Socket") || t.starts_with("NET/IB");
  if (!bootstrap && !net) return false;
  bool found = false;
  for (std::size_t end = t.find("<0>"); end != std::string_view::npos;
       end = t.find("<0>", end + 3)) {
    std::size_t begin = end;
    while (begin > 0 && t[begin - 1] != ' ' && t[begin - 1] != ']') --begin;
    const std::string_view word = t.substr(begin, end - begin);
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) continue;
    sink.add(NetInterface{std::string(word.substr(0, colon)), std::string(word.substr(colon + 1))});
    found = true;
  }
  return found;
}

// The middle of the first tree: "children->rank->parent".
bool trees_line(std::string_view t, FactSink& sink) {
  if (!consume(&t, "Trees [0] ") || !consume_until(&t, "->")) return false;
  const auto rank = consume_int(&t);
  if (!rank || *rank > INT32_MAX || !consume(&t, "->")) return false;
  sink.add(TreePlace{static_cast<std::int32_t>(*rank)});
  return true;
}

bool version_line(std::string_view t, FactSink& sink) {
  if (consume(&t, "NCCL version ")) {
    const auto v = consume_word(&t);
    if (!v) return false;
    std::string_view version = *v;
    const std::size_t plus = version.find('+');
    sink.add(Version{"nccl", std::string(version.substr(0, plus))});
    if (plus != std::string_view::npos && version.substr(plus).starts_with("+cuda")) {
      sink.add(Version{"cuda", std::string(version.substr(plus + 5))});
    }
    return true;
  }
  if (consume(&t, "cudaDriverVersion ")) {
    sink.add(Version{"cuda_driver", std::string(trim(t))});
    return true;
  }
  return false;
}

}  // namespace

std::string pci_from_bus_id(std::string_view bus_id) {
  const auto id = parse_hex(bus_id);
  if (!id) return {};
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", *id >> 20, *id >> 12 & 0xff, *id >> 4 & 0xff,
                     *id & 0xf);
}

std::span<const Gate> NcclLines::gates() const {
  static constexpr Gate kGates[] = {{": opCount ", Gate::Use::dense},
                                    {"- Init START", Gate::Use::timeless},
                                    {"- Init COMPLETE", Gate::Use::timeless},
                                    {"- Abort "},
                                    {"- Destroy ", Gate::Use::timeless},
                                    {" set by environment to ", Gate::Use::timeless},
                                    {" set to ", Gate::Use::timeless},
                                    {"NET/Socket : Using "},
                                    {"NET/IB : Using "},
                                    {"Bootstrap: Using "},
                                    {"Bootstrap : Using "},
                                    {"Trees [0] ", Gate::Use::timeless},
                                    {"NCCL version "},
                                    {"cudaDriverVersion "},
                                    {"ENV/Plugin: Closing"}};
  return kGates;
}

bool NcclLines::feed(const LineView& line, FactSink& sink) {
  if (line.text.starts_with("NCCL version ")) return version_line(line.text, sink);
  if (line.layer != Layer::nccl) return false;
  const std::string_view t = line.text;
  if (coll_line(t, sink) || init_line(t, sink) || end_line(t, sink) || setting_line(t, sink) ||
      interface_line(t, sink) || version_line(t, sink) || trees_line(t, sink)) {
    return true;
  }
  if (t.starts_with("ENV/Plugin: Closing env plugin")) {
    sink.add(OrderlyExit{"NCCL closed its plug-ins"});
    return true;
  }
  return false;
}

}  // namespace firstfault
