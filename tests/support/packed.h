// Compressed and archived bytes for tests, made with libarchive.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace firstfault::test {

using Member = std::pair<std::string, std::string>;  // name, content

std::string gzip(std::string_view bytes);
// filter: "gzip", "xz", "zstd", "bzip2"
std::string compress(std::string_view bytes, const std::string& filter);
std::string tar(const std::vector<Member>& members);
std::string zip(const std::vector<Member>& members);

// Lines of a log that do not compress to nothing: "node-a:41:42 [0] NCCL INFO line 17 0x5bd1e995".
std::string log_text(int lines);

}  // namespace firstfault::test
