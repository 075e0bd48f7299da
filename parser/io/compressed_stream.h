// The decoded bytes of a compressed stream (gzip, xz, zstd, bzip2; several members in a row are
// one).
//
// A stream that ends early yields all that its decoder gives away, then an error. For gzip nothing
// is lost; the other decoders keep back at most their last block (64 KiB, zstd 128 KiB).
#pragma once

#include <cstdint>
#include <memory>

#include "parser/io/byte_stream.h"
#include "parser/read.h"

namespace firstfault {

class CompressedStream : public ByteStream {
 public:
  CompressedStream(ByteStream& packed, const ReadLimits& limits);
  ~CompressedStream() override;
  Result<std::string_view> next() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether `decoded` bytes out of `packed` ones are more than honest compression yields.
bool is_bomb(std::uint64_t decoded, std::uint64_t packed, const ReadLimits& limits);
Error bomb_error(const ReadLimits& limits);

}  // namespace firstfault
