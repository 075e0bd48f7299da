// Helpers shared by tests: the repository's own sample files and temporary folders.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace firstfault::test {

// Absolute path of a file of the repository, e.g. source_path("samples/missing/logs").
std::filesystem::path source_path(std::string_view relative);
std::string read_file(const std::filesystem::path& path);  // throws std::runtime_error if it cannot

// A fresh folder, removed with everything in it at the end of scope.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }
  // Writes a file (folders are made) and returns its absolute path.
  std::filesystem::path write(std::string_view relative, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace firstfault::test
