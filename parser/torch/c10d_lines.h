// c10d's lines: watchdog, dump signals, fingerprints, monitoredBarrier, store waits (torch 1.8
// to 2.14).
#pragma once
#include "parser/lines/line.h"

namespace firstfault {

class C10dLines : public LineParser {
 public:
  std::span<const Gate> gates() const override;
  bool feed(const LineView& line, FactSink& sink) override;
  void finish(FactSink&) override {}
};

}  // namespace firstfault
