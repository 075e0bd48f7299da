// The few calls of libarchive that both the decompressor and the archive walk need.
#pragma once

#include <archive.h>

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "parser/io/byte_stream.h"

namespace firstfault {

struct CloseArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};
using ArchiveHandle = std::unique_ptr<archive, CloseArchive>;

// What libarchive says went wrong, one line.
inline Error archive_error(archive* a) {
  const char* why = archive_error_string(a);
  return Error{why == nullptr ? std::string("damaged archive")
                              : std::string("damaged or truncated: ") + why};
}

// libarchive's pull interface over a ByteStream. An error of the stream looks like an early end to
// libarchive, which then gives away what it has; the error is kept here.
struct ArchivePull {
  ByteStream* stream = nullptr;
  std::uint64_t bytes = 0;  // pulled so far
  std::optional<Error> error;

  static la_ssize_t read(archive*, void* context, const void** data) {
    auto* self = static_cast<ArchivePull*>(context);
    if (self->error) return 0;
    Result<std::string_view> window = self->stream->next();
    if (!window) {
      self->error = window.error();
      return 0;
    }
    self->bytes += window->size();
    *data = window->data();
    return static_cast<la_ssize_t>(window->size());
  }
};

}  // namespace firstfault
