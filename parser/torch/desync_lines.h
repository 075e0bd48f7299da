// The report of TORCH_NCCL_DESYNC_DEBUG: one rank's snapshot of how far its group came (torch 1.10
// to 2.14, ProcessGroupNCCL and TraceUtils.h). Ranks are group ranks.
//
//   \t - [3] Timeout at collective: ALLREDUCE, #42
//   \t - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:
//   \t   - [1] joined but didn't finish collective #42 (count from 1)
//   \t - Snapshot of ranks' latest states:
//   \t   #42 started ranks:
//   \t     [0,1,3] started ALLREDUCE
#pragma once
#include <optional>

#include "parser/lines/line.h"

namespace firstfault {

class DesyncLines : public LineParser {
 public:
  std::span<const Gate> gates() const override;
  bool open() const override { return report_.has_value(); }
  bool feed(const LineView& line, FactSink& sink) override;
  void finish(FactSink& sink) override;

 private:
  std::optional<DesyncReport> report_;
  std::int64_t seq_ = -1;  // of the states that follow
  std::uint32_t lines_ = 0;
  LineView first_;
  std::string first_text_;
};

}  // namespace firstfault
