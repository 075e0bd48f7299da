#include "parser/sched/torchelastic.h"

#include "base/text.h"

namespace firstfault {

namespace {

struct SignalRow {
  int number;
  std::string_view name;
};
constexpr SignalRow kSignals[] = {
    {1, "SIGHUP"},   {2, "SIGINT"},   {3, "SIGQUIT"},  {4, "SIGILL"},
    {5, "SIGTRAP"},  {6, "SIGABRT"},  {7, "SIGBUS"},   {8, "SIGFPE"},
    {9, "SIGKILL"},  {10, "SIGUSR1"}, {11, "SIGSEGV"}, {12, "SIGUSR2"},
    {13, "SIGPIPE"}, {14, "SIGALRM"}, {15, "SIGTERM"}, {24, "SIGXCPU"}};

constexpr std::uint32_t kBlockLines = 1u << 17;  // eight a failed rank

std::optional<std::int64_t> signed_int(std::string_view* t) {
  const bool negative = consume(t, "-");
  const auto value = consume_int(t);
  if (!value) return std::nullopt;
  return negative ? -*value : *value;
}

void set_exit(ProcessExit* exit, std::int64_t code) {
  if (code < 0) {
    exit->signal = signal_name(static_cast<int>(-code));
  } else {
    exit->code = static_cast<std::int32_t>(code);
  }
  exit->reported_by = "torchelastic";
}

}  // namespace

std::string signal_name(int number) {
  for (const SignalRow& row : kSignals) {
    if (row.number == number) return std::string(row.name);
  }
  return "signal " + std::to_string(number);
}

bool TorchelasticLines::block_line(const LineView& line, FactSink& sink) {
  std::string_view t = trim(line.text);
  if (t == "Failures:") {
    block_ = Block::failures;
    block_lines_ = 0;
    return true;
  }
  if (t.starts_with("Root Cause (first observed failure):")) {
    block_ = Block::root;
    block_lines_ = 0;
    return true;
  }
  if (block_ == Block::none) return false;
  if (t.starts_with("=====") || ++block_lines_ > kBlockLines) {
    block_ = Block::none;
    return true;
  }
  if (t.starts_with("[") && t.ends_with("]:")) {
    place_ = RankPlacement{};
    return true;
  }
  const std::size_t colon = t.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view name = trim(t.substr(0, colon));
  std::string_view value = trim(t.substr(colon + 1));
  if (name == "host") {
    place_.host = std::string(value);
  } else if (name == "rank") {
    place_.global_rank = static_cast<std::int32_t>(consume_int(&value).value_or(-1));
    if (consume(&value, " (local_rank: "))
      place_.local_rank = static_cast<std::int32_t>(consume_int(&value).value_or(-1));
  } else if (name == "exitcode") {
    const auto code = signed_int(&value);
    if (!code) return false;
    if (consume(&value, " (pid: ")) place_.pid = consume_int(&value).value_or(-1);
    ProcessExit exit;
    exit.pid = place_.pid;
    exit.global_rank = place_.global_rank;
    exit.local_rank = place_.local_rank;
    exit.host = place_.host;
    set_exit(&exit, *code);
    exit.named_first = block_ == Block::root;
    exit.by_agent = block_ == Block::failures && *code == -15;
    sink.add(place_);
    sink.add(std::move(exit));
  } else if (name != "time" && name != "error_file" && name != "traceback") {
    return false;
  }
  return true;
}

std::span<const Gate> TorchelasticLines::gates() const {
  static constexpr Gate kGates[] = {{"failed (exitcode: "},
                                    {"Sending process "},
                                    {" death signal"},
                                    {"Failures:"},
                                    {"Root Cause (first observed failure):"}};
  return kGates;
}

bool TorchelasticLines::feed(const LineView& line, FactSink& sink) {
  std::string_view t = line.text;
  if (const std::size_t at = t.find("failed (exitcode: "); at != std::string_view::npos) {
    t.remove_prefix(at + 18);
    const auto code = signed_int(&t);
    ProcessExit exit;
    exit.named_first = true;
    if (!code) return false;
    set_exit(&exit, *code);
    if (const std::size_t l = t.find("local_rank: "); l != std::string_view::npos) {
      std::string_view rest = t.substr(l + 12);
      exit.local_rank = static_cast<std::int32_t>(consume_int(&rest).value_or(-1));
    }
    if (const std::size_t p = t.find("(pid: "); p != std::string_view::npos) {
      std::string_view rest = t.substr(p + 6);
      exit.pid = consume_int(&rest).value_or(-1);
    }
    sink.add(std::move(exit));
    return true;
  }
  if (consume(&t, "Sending process ")) {
    SignalSent s;
    s.pid = consume_int(&t).value_or(-1);
    if (s.pid < 0 || !consume(&t, " closing signal ")) return false;
    s.signal = std::string(trim(t));
    if (s.signal.starts_with("Signals.")) s.signal.erase(0, 8);
    sink.add(std::move(s));
    return true;
  }
  if (consume(&t, "Received ")) {
    std::string_view rest = t;
    consume(&rest, "Signals.");
    const auto number = consume_int(&rest);
    if (t.find(" death signal, shutting down workers") == std::string_view::npos) return false;
    SignalSent s;
    s.received = true;
    s.signal = number ? signal_name(static_cast<int>(*number))
                      : std::string(rest.substr(0, rest.find(' ')));
    sink.add(std::move(s));
    return true;
  }
  return block_line(line, sink);
}

}  // namespace firstfault
