// Any bytes as the rest of a gzip file: no crash, and no more than was asked for.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "parser/io/gunzip_tail.h"

namespace {

class Windows : public firstfault::ByteStream {
 public:
  explicit Windows(std::string_view bytes) : bytes_(bytes) {}
  firstfault::Result<std::string_view> next() override {
    const std::string_view window = bytes_.substr(0, 13);
    bytes_.remove_prefix(window.size());
    return window;
  }

 private:
  std::string_view bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Windows in({reinterpret_cast<const char*>(data), size});
  if (firstfault::gunzip_tail(in, size % 7, 4096).size() > 4096) std::abort();
  return 0;
}
