// Kernel log lines that code branches on: Xid and SXid, out-of-memory kills, crashes, boot, driver
// version.
#pragma once
#include "parser/lines/line.h"

namespace firstfault {

class KernelLines : public LineParser {
 public:
  std::span<const Gate> gates() const override;
  bool feed(const LineView& line, FactSink& sink) override;
  void finish(FactSink&) override {}

 private:
  std::string constraint_, cgroup_;  // of the incident whose "Killed process" line is still to come
};

// "0000:17:00", "00000000:17:00.0", "17:00" -> "0000:17:00.0"; "" when it is no PCI address.
std::string normal_pci(std::string_view text);

}  // namespace firstfault
