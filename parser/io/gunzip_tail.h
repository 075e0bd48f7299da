// Decodes what is left of a gzip file that ends early.
//
// libarchive gives decoded bytes away in whole blocks: of a truncated file it loses up to the last
// 64 KiB, which are the lines that a post-mortem is about. This small decoder starts over, passes
// by what is known already and returns the rest. It is slower than zlib and used for damaged files
// only. Format: RFC 1951 and RFC 1952; several members in a row are one file.
//
//   std::string rest = gunzip_tail(compressed, 65536, 1 << 20);   // bytes from 65,536 on
#pragma once

#include <cstdint>
#include <string>

#include "parser/io/byte_stream.h"

namespace firstfault {

// Decoded bytes [skip, skip + limit) of `compressed`, or as many of them as the input yields before
// it ends or stops making sense. Checksums are not looked at.
std::string gunzip_tail(ByteStream& compressed, std::uint64_t skip, std::size_t limit);

}  // namespace firstfault
