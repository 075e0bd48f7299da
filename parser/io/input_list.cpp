#include "parser/io/input_list.h"

#include <filesystem>
#include <set>

#include "base/text.h"

namespace firstfault {

namespace fs = std::filesystem;

namespace {

std::string absolute(const std::string& path) {
  std::error_code error;
  const fs::path full = fs::absolute(path, error);
  std::string out = (error ? fs::path(path) : full).lexically_normal().string();
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

struct Lister {
  std::set<std::string> files;
  std::vector<Skipped> skipped;

  void skip(const std::string& path, std::string reason) {
    skipped.push_back({path, std::move(reason), 0});
  }

  void folder(const std::string& top) {
    std::vector<std::string> open{top};  // no recursion: folders may be nested deeply
    while (!open.empty()) {
      const std::string path = std::move(open.back());
      open.pop_back();
      std::error_code error;
      fs::directory_iterator at(path, error);
      for (; !error && at != fs::directory_iterator(); at.increment(error)) entry(*at, &open);
      if (error) skip(path, "folder cannot be listed: " + error.message());
    }
  }

  void entry(const fs::directory_entry& entry, std::vector<std::string>* open) {
    const std::string path = entry.path().string();
    std::error_code error;
    const fs::file_type type = entry.status(error).type();
    if (type == fs::file_type::regular) {
      files.insert(path);
    } else if (type == fs::file_type::directory) {
      if (entry.is_symlink(error)) {
        skip(path, "a link to a folder: not followed");
      } else {
        open->push_back(path);
      }
    } else if (type == fs::file_type::not_found || error) {
      skip(path, "a link that leads nowhere");
    } else {
      skip(path, "not a regular file");
    }
  }
};

}  // namespace

InputList list_inputs(const std::vector<std::string>& paths) {
  Lister lister;
  std::set<std::string> roots;
  for (const std::string& given : paths) {
    if (given == "-") {
      lister.files.insert(given);
      continue;
    }
    const std::string path = absolute(given);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) {
      lister.skip(path, "no such file or folder");
    } else if (error) {
      lister.skip(path, error.message());
    } else if (fs::is_directory(status)) {
      roots.insert(path);
      lister.folder(path);
    } else {
      const std::string_view parent = dir_name(path);
      roots.insert(parent.empty() ? "/" : std::string(parent));
      lister.files.insert(path);
    }
  }
  InputList out;
  out.files.assign(lister.files.begin(), lister.files.end());
  out.roots.assign(roots.begin(), roots.end());
  out.skipped = std::move(lister.skipped);
  return out;
}

}  // namespace firstfault
