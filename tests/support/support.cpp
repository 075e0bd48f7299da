#include "support/support.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace firstfault::test {

namespace fs = std::filesystem;

fs::path source_path(std::string_view relative) {
  return fs::path(FIRSTFAULT_SOURCE_DIR) / relative;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TempDir::TempDir() {
  std::string name = (fs::temp_directory_path() / "firstfault-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;  // a leftover folder is no reason to fail a test
  fs::remove_all(path_, ignored);
}

fs::path TempDir::write(std::string_view relative, std::string_view content) const {
  const fs::path file = path_ / relative;
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
  return file;
}

}  // namespace firstfault::test
