// Every stream of text or records inside one input file: compression and archives are peeled off.
//
//   for_each_stream("job.tar.gz", limits, nullptr, use);   // use("job.tar.gz!ranks/0/stderr.log",
//   s)
//
// libarchive with the tar and zip formats and the gzip, xz, zstd and bzip2 filters, nothing else.
// Input is hostile: limits bound members, nesting and how much a few bytes may decode to. What a
// limit or damage cuts off is an error of the stream concerned, never silence.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "parser/io/byte_stream.h"
#include "parser/read.h"

namespace firstfault {

using UseStream = std::function<void(const std::string& name, ByteStream& stream)>;

// Calls `use` for every stream inside the file: itself, or each member as "file!member". `consumed`
// (may be empty) is told the bytes read from the file, bit by bit. `path` "-" is standard input.
// Returns an error when the file cannot be opened at all.
Status for_each_stream(const std::string& path, const ReadLimits& limits,
                       const std::function<void(std::uint64_t bytes)>& consumed,
                       const UseStream& use);

}  // namespace firstfault
