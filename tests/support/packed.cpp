#include "support/packed.h"

#include <archive.h>
#include <archive_entry.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace firstfault::test {

namespace {

la_ssize_t append(archive*, void* out, const void* data, std::size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

std::string pack(int (*format)(archive*), const std::string& filter,
                 const std::vector<Member>& members) {
  std::string out;
  archive* a = archive_write_new();
  if (format(a) != ARCHIVE_OK ||
      (!filter.empty() && archive_write_add_filter_by_name(a, filter.c_str()) < ARCHIVE_WARN))
    throw std::runtime_error("libarchive cannot write this");
  archive_write_set_bytes_in_last_block(a, 1);
  archive_write_open(a, &out, nullptr, append, nullptr);
  for (const auto& [name, content] : members) {
    archive_entry* e = archive_entry_new();
    archive_entry_set_pathname(e, name.c_str());
    archive_entry_set_size(e, static_cast<la_int64_t>(content.size()));
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    if (archive_write_header(a, e) != ARCHIVE_OK) throw std::runtime_error("bad member");
    archive_write_data(a, content.data(), content.size());
    archive_entry_free(e);
  }
  archive_write_close(a);
  archive_write_free(a);
  return out;
}

}  // namespace

std::string compress(std::string_view bytes, const std::string& filter) {
  return pack(archive_write_set_format_raw, filter, {{"data", std::string(bytes)}});
}
std::string gzip(std::string_view bytes) { return compress(bytes, "gzip"); }
std::string tar(const std::vector<Member>& members) {
  return pack(archive_write_set_format_ustar, "", members);
}
std::string zip(const std::vector<Member>& members) {
  return pack(archive_write_set_format_zip, "", members);
}

std::string log_text(int lines) {
  std::string out;
  std::uint32_t state = 1;
  for (int i = 0; i < lines; ++i) {
    state = state * 1664525u + 1013904223u;
    char line[96];
    std::snprintf(line, sizeof line, "node-a:41:42 [0] NCCL INFO line %d 0x%08x\n", i, state);
    out += line;
  }
  return out;
}

}  // namespace firstfault::test
