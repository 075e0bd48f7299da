// Decoded bytes of a file or archive member, in windows: compression and archives are peeled off
// with libarchive (only tar and zip formats; only gzip, xz, zstd and bzip2 filters are enabled).
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/facts.h"
#include "parser/read.h"

namespace firstfault {

// One decoded stream. `next` yields the following window, an empty view at the end; a Result error
// means that the rest cannot be had (truncated, damaged), what came before stays good.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual Result<std::string_view> next() = 0;
};

// Calls `use` for every stream inside the file: itself, or each member ("file!member").
// Returns an error when the file cannot be opened at all.
Status for_each_stream(const std::string& path, const ReadLimits& limits,
                       const std::function<void(const std::string& name, ByteStream& stream)>& use);

}  // namespace firstfault
