#include "parser/kernel/kernel_lines.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "base/text.h"

namespace firstfault {

namespace {

// "pid=1794, name=python3, " or "pid='<unknown>', name=<unknown>, " in front of an Xid's text
void xid_process(std::string_view* t, GpuKernelFault* fault) {
  if (!consume(t, "pid=")) return;
  consume(t, "'");
  if (const auto pid = consume_int(t)) {
    fault->pid = *pid;
  } else {
    consume_until(t, ",");
    consume(t, " ");
    if (t->starts_with("name=")) consume_until(t, ", ");
    return;
  }
  consume(t, "'");
  consume(t, ", ");
  if (consume(t, "name=")) {
    const std::size_t end = t->find(", ");
    fault->process = std::string(t->substr(0, end));
    t->remove_prefix(end == std::string_view::npos ? t->size() : end + 2);
  }
}

bool xid_line(std::string_view t, FactSink& sink) {
  std::size_t at = t.find("NVRM: Xid (PCI:");
  GpuKernelFault fault;
  if (at != std::string_view::npos) {
    t.remove_prefix(at + 15);
  } else if ((at = t.find("SXid (PCI:")) != std::string_view::npos) {
    fault.kind = GpuKernelFault::Kind::sxid;
    t.remove_prefix(at + 10);
  } else {
    return false;
  }
  const auto pci = consume_until(&t, "): ");
  const auto number = pci ? consume_int(&t) : std::nullopt;
  if (!number || *number > 100'000) return false;
  fault.pci = normal_pci(*pci);
  fault.number = static_cast<std::int32_t>(*number);
  consume(&t, ", ");
  xid_process(&t, &fault);
  bool lossy = false;
  fault.text = to_utf8(t, kQuoteBytes, &lossy);
  sink.add(std::move(fault));
  return true;
}

}  // namespace

std::string normal_pci(std::string_view text) {
  std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return {};
  std::string_view device = parts.back();
  const std::size_t dot = device.find('.');
  const auto function =
      dot == std::string_view::npos ? 0 : parse_int<int>(device.substr(dot + 1), 16).value_or(-1);
  const auto dev = parse_int<unsigned>(device.substr(0, dot), 16);
  const auto bus = parse_int<unsigned>(parts[parts.size() - 2], 16);
  const auto domain =
      parts.size() == 3 ? parse_int<unsigned>(parts[0], 16) : std::optional<unsigned>(0);
  if (!dev || !bus || !domain || function < 0 || *bus > 255 || *dev > 31) return {};
  char out[40];
  std::snprintf(out, sizeof out, "%04x:%02x:%02x.%x", *domain, *bus, *dev,
                static_cast<unsigned>(function));
  return out;
}

std::span<const Gate> KernelLines::gates() const {
  static constexpr Gate kGates[] = {
      {"Xid (PCI:"},       {"oom-kill:constraint="},      {"Killed process "},
      {"]: segfault at "}, {"NVRM: loading NVIDIA UNIX"}, {"Linux version "}};
  return kGates;
}

bool KernelLines::feed(const LineView& line, FactSink& sink) {
  std::string_view t = line.text;
  if (xid_line(t, sink)) return true;
  if (const std::size_t at = t.find("oom-kill:constraint="); at != std::string_view::npos) {
    std::string_view rest = t.substr(at + 20);
    constraint_ = std::string(rest.substr(0, rest.find(',')));
    if (const std::size_t g = rest.find("task_memcg="); g != std::string_view::npos) {
      cgroup_ = std::string(rest.substr(g + 11, rest.find(',', g) - g - 11));
    }
    return true;
  }
  if (const std::size_t at = t.find("Killed process "); at != std::string_view::npos) {
    std::string_view rest = t.substr(at + 15);
    OomKill kill;
    kill.pid = consume_int(&rest).value_or(-1);
    if (kill.pid < 0) return false;
    if (consume(&rest, " (")) kill.process = std::string(rest.substr(0, rest.find(')')));
    kill.constraint = t.find("Memory cgroup out of memory") != std::string_view::npos ? "memcg"
                      : constraint_ == "CONSTRAINT_MEMCG"                             ? "memcg"
                                                                                      : "global";
    kill.cgroup = cgroup_;
    sink.add(std::move(kill));
    return true;
  }
  if (const std::size_t at = t.find("]: segfault at "); at != std::string_view::npos) {
    const std::size_t open = t.rfind('[', at);
    if (open == std::string_view::npos) return false;
    UserCrash crash;
    crash.pid = parse_int<std::int64_t>(t.substr(open + 1, at - open - 1)).value_or(-1);
    crash.process = std::string(trim(t.substr(0, open)));
    crash.kind = "segfault";
    if (const std::size_t in = t.find(" in ", at); in != std::string_view::npos)
      crash.where = std::string(t.substr(in + 4, t.find('[', in) - in - 4));
    sink.add(std::move(crash));
    return true;
  }
  if (const std::size_t at = t.find("NVRM: loading NVIDIA UNIX"); at != std::string_view::npos) {
    // "... Kernel Module for x86_64  580.159.04  Release Build"
    for (const std::string_view word : split(t.substr(at), ' ')) {
      if (word.size() > 4 && word[0] >= '0' && word[0] <= '9' &&
          std::count(word.begin(), word.end(), '.') >= 1) {
        sink.add(Version{"driver", std::string(word)});
        return true;
      }
    }
  }
  if (line.stamp.clock == Clock::boot && t.starts_with("Linux version ")) {
    sink.add(BootMark{});
    return true;
  }
  return false;
}

}  // namespace firstfault
