#include "parser/io/decoder.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/text.h"
#include "parser/io/sniff.h"

namespace firstfault {

namespace {

constexpr std::size_t kWindow = 256u << 10;

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ > 2) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

Error system_error() { return Error{std::strerror(errno)}; }

class PlainStream : public ByteStream {
 public:
  PlainStream(int fd, std::string head) : fd_(fd), buffer_(std::move(head)), pending_(true) {}
  Result<std::string_view> next() override {
    if (pending_) {
      pending_ = false;
      if (!buffer_.empty()) return std::string_view(buffer_);
    }
    buffer_.resize(kWindow);
    ssize_t n = 0;
    do {
      n = ::read(fd_, buffer_.data(), buffer_.size());
    } while (n < 0 && errno == EINTR);
    if (n < 0) return system_error();
    return std::string_view(buffer_.data(), static_cast<std::size_t>(n));
  }

 private:
  int fd_;
  std::string buffer_;
  bool pending_;
};

struct CloseArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};
using Archive = std::unique_ptr<archive, CloseArchive>;

Archive new_archive() {
  Archive a(archive_read_new());
  archive_read_support_filter_gzip(a.get());
  archive_read_support_filter_xz(a.get());
  archive_read_support_filter_zstd(a.get());
  archive_read_support_filter_bzip2(a.get());
  archive_read_support_format_tar(a.get());
  archive_read_support_format_zip(a.get());
  archive_read_support_format_raw(a.get());
  return a;
}

class MemberStream : public ByteStream {
 public:
  MemberStream(archive* a, const ReadLimits& limits) : archive_(a), limits_(limits) {}
  Result<std::string_view> next() override {
    if (done_) return std::string_view();
    buffer_.resize(kWindow);
    const la_ssize_t n = archive_read_data(archive_, buffer_.data(), buffer_.size());
    if (n < 0) {
      done_ = true;
      const char* why = archive_error_string(archive_);
      return Error{why == nullptr ? "damaged archive"
                                  : std::string("damaged or truncated: ") + why};
    }
    decoded_ += static_cast<std::uint64_t>(n);
    const auto packed =
        static_cast<std::uint64_t>(std::max<la_int64_t>(1, archive_filter_bytes(archive_, -1)));
    if (decoded_ > (64u << 20) && decoded_ / packed > limits_.ratio) {
      done_ = true;
      return Error{"refused: decodes to more than " + std::to_string(limits_.ratio) +
                   " times its size"};
    }
    if (n == 0) done_ = true;
    return std::string_view(buffer_.data(), static_cast<std::size_t>(n));
  }

 private:
  archive* archive_;
  const ReadLimits& limits_;
  std::string buffer_;
  std::uint64_t decoded_ = 0;
  bool done_ = false;
};

// A stream whose first window was looked at already.
class Peeked : public ByteStream {
 public:
  Peeked(std::string head, ByteStream& rest) : head_(std::move(head)), rest_(rest) {}
  Result<std::string_view> next() override {
    if (!head_.empty()) {
      current_ = std::move(head_);
      head_.clear();
      return std::string_view(current_);
    }
    return rest_.next();
  }

 private:
  std::string head_, current_;
  ByteStream& rest_;
};

struct Walk {
  const ReadLimits& limits;
  const std::function<void(const std::string&, ByteStream&)>& use;
  std::uint32_t members = 0;
};

// libarchive's pull interface over a ByteStream, for archives inside archives.
struct Pull {
  ByteStream* stream;
  static la_ssize_t read(archive*, void* context, const void** data) {
    auto* self = static_cast<Pull*>(context);
    Result<std::string_view> window = self->stream->next();
    if (!window)
      return 0;  // the outer reader has noted the damage; the inner one sees an early end
    *data = window->data();
    return static_cast<la_ssize_t>(window->size());
  }
};

Status walk_archive(const std::string& name, ByteStream& outer, std::uint32_t depth, Walk& walk);

void one_stream(const std::string& name, ByteStream& stream, std::uint32_t depth, Walk& walk) {
  Result<std::string_view> head = stream.next();
  if (!head) {
    struct Failed : ByteStream {
      explicit Failed(Error e) : error(std::move(e)) {}
      Result<std::string_view> next() override { return error; }
      Error error;
    } failed(head.error());
    walk.use(name, failed);
    return;
  }
  Peeked whole(std::string(*head), stream);
  if (depth < walk.limits.depth && sniff_container(*head) == Container::archive_or_compressed) {
    const std::string first(*head);
    if (walk_archive(name, whole, depth + 1, walk)) return;
  }
  walk.use(name, whole);
}

Status walk_archive(const std::string& name, ByteStream& outer, std::uint32_t depth, Walk& walk) {
  Archive a = new_archive();
  Pull pull{&outer};
  if (archive_read_open(a.get(), &pull, nullptr, Pull::read, nullptr) != ARCHIVE_OK) {
    return Error{archive_error_string(a.get()) == nullptr ? "not an archive"
                                                          : archive_error_string(a.get())};
  }
  archive_entry* entry = nullptr;
  for (;;) {
    const int result = archive_read_next_header(a.get(), &entry);
    if (result == ARCHIVE_EOF) break;
    if (result < ARCHIVE_WARN) {
      struct Failed : ByteStream {
        explicit Failed(Error e) : error(std::move(e)) {}
        Result<std::string_view> next() override { return error; }
        Error error;
      } failed(Error{std::string("damaged or truncated: ") + archive_error_string(a.get())});
      walk.use(name, failed);
      break;
    }
    if (archive_entry_filetype(entry) != AE_IFREG && archive_format(a.get()) != ARCHIVE_FORMAT_RAW)
      continue;
    if (++walk.members > walk.limits.members) break;
    const bool raw = archive_format(a.get()) == ARCHIVE_FORMAT_RAW;
    const char* member = archive_entry_pathname(entry);
    MemberStream stream(a.get(), walk.limits);
    one_stream(raw || member == nullptr ? name : name + "!" + member, stream, depth, walk);
  }
  return Done{};
}

}  // namespace

Status for_each_stream(
    const std::string& path, const ReadLimits& limits,
    const std::function<void(const std::string& name, ByteStream& stream)>& use) {
  const bool standard_input = path == "-";
  File file(standard_input ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.fd() < 0) return system_error();
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0) return system_error();
  if (!standard_input && !S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode))
    return Error{"not a regular file"};
  if (S_ISFIFO(info.st_mode) || standard_input)
    ::fcntl(file.fd(), F_SETFL, ::fcntl(file.fd(), F_GETFL) & ~O_NONBLOCK);
  PlainStream plain(file.fd(), {});
  Walk walk{limits, use};
  one_stream(path, plain, 0, walk);
  return Done{};
}

}  // namespace firstfault
