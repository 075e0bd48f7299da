// NCCL's INFO lines: Init, COLL, environment, version, network interfaces, teardown (NCCL 2.7
// to 2.30).
#pragma once
#include "parser/lines/line.h"

namespace firstfault {

class NcclLines : public LineParser {
 public:
  std::span<const Gate> gates() const override;
  bool feed(const LineView& line, FactSink& sink) override;
  void finish(FactSink&) override {}
};

// "60" -> "0000:00:06.0": hexadecimal, from the right function (1 digit), device (2), bus (2),
// domain.
std::string pci_from_bus_id(std::string_view bus_id);

}  // namespace firstfault
