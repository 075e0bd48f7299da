#include "cli/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace firstfault {

namespace {

Error system_error(const std::string& path) { return Error{path + ": " + std::strerror(errno)}; }

bool put(std::FILE* file, std::string_view content) {
  return std::fwrite(content.data(), 1, content.size(), file) == content.size() &&
         std::fflush(file) == 0;
}

}  // namespace

Status write_output(const std::string& path, std::string_view content) {
  if (path.empty() || path == "-") {
    if (!put(stdout, content)) return system_error("standard output");
    return Done{};
  }
  // A device or pipe cannot be replaced by renaming.
  if (path.starts_with("/dev/")) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return system_error(path);
    const bool written = put(file, content);
    const Error error = system_error(path);
    if (std::fclose(file) != 0 || !written) return error;
    return Done{};
  }
  std::string temporary = path + ".XXXXXX";
  const int fd = mkstemp(temporary.data());
  if (fd < 0) return system_error(path);
  std::FILE* file = fdopen(fd, "wb");
  if (file == nullptr) {
    const Error error = system_error(path);
    close(fd);
    unlink(temporary.c_str());
    return error;
  }
  bool written = put(file, content) && fchmod(fd, 0644) == 0;
  Error error = system_error(path);
  if (std::fclose(file) != 0 && written) {
    written = false;
    error = system_error(path);
  }
  if (written && std::rename(temporary.c_str(), path.c_str()) != 0) {
    written = false;
    error = system_error(path);
  }
  if (!written) {
    unlink(temporary.c_str());
    return error;
  }
  return Done{};
}

bool colour_wanted(const std::string& mode, const std::string& path) {
  const char* no_color = std::getenv("NO_COLOR");
  if (mode == "never" || (no_color != nullptr && *no_color != '\0')) return false;
  if (mode == "always") return true;
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::strcmp(term, "dumb") == 0;
  return path.empty() && !dumb && isatty(STDOUT_FILENO) == 1;
}

}  // namespace firstfault
