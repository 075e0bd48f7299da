// Who printed a line, as far as the line's prefixes and its file say. Nothing here is resolved:
// a local rank is not turned into a global one, a pid not into a rank (timeline/identity does
// that).
#pragma once

#include <cstdint>
#include <string>

namespace firstfault {

struct Speaker {
  std::string host;               // as printed ("gpu-node-2", "10.0.0.2"), "" if nothing says
  std::int64_t pid = -1;          // inside the process's own PID namespace
  std::int32_t global_rank = -1;  // "[rank3]:"
  std::int32_t local_rank = -1;   // "[default3]:", or the folder attempt_K/<local rank>/
  std::int32_t task = -1;         // srun --label, mpirun --tag-output
  std::int32_t path_rank =
      -1;  // a number in the file's path that looks like a rank (ranks/3/, nccl_trace_rank_3)
  std::int32_t attempt = -1;  // attempt_K in the file's path
  bool agent = false;         // torchrun's own agent speaks, not a worker

  friend bool operator==(const Speaker&, const Speaker&) = default;
  friend auto operator<=>(const Speaker&, const Speaker&) = default;
};

}  // namespace firstfault
