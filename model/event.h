// Events: the open set of things that signatures of the catalogue recognise. An event has a class
// of the registry (rules/registry) and captures; who it is about is not resolved yet.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace firstfault {

struct Capture {
  std::string name;   // name of the pattern's group: "peer", "pid", "pci", "errno", "text" ...
  std::string value;  // at most 256 bytes, valid UTF-8

  friend bool operator==(const Capture&, const Capture&) = default;
  friend auto operator<=>(const Capture&, const Capture&) = default;
};

struct Event {
  std::string cls;                // registry class, "echo.peer_closed"
  std::string signature;          // id of the rule that matched, "nccl.socket.closed_by_peer"
  std::vector<Capture> captures;  // in the pattern's order

  // "" when there is no such capture.
  const std::string& capture(std::string_view name) const {
    static const std::string kNone;
    for (const Capture& c : captures) {
      if (c.name == name) return c.value;
    }
    return kNone;
  }

  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace firstfault
