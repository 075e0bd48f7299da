#include "parser/io/decoder.h"

#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "parser/io/archive_handle.h"
#include "parser/io/compressed_stream.h"
#include "parser/io/sniff.h"

namespace firstfault {

namespace {

constexpr std::size_t kWindow = 256u << 10;
constexpr std::size_t kHead = 4096;          // enough for every container's magic and for sniffing
constexpr std::uint32_t kFiltersInARow = 2;  // "x.log.gz.gz" happens, more is a joke

Error system_error() { return Error{std::strerror(errno)}; }

// A regular file at any place.
class FileBytes : public RandomBytes {
 public:
  FileBytes(int fd, std::uint64_t size) : fd_(fd), size_(size) {}
  std::uint64_t size() const override { return size_; }
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t n) const override {
    std::size_t done = 0;
    while (done < n && offset + done < size_) {
      const ssize_t got = ::pread(fd_, to + done, n - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  int fd_;
  std::uint64_t size_;
};

class FileStream : public ByteStream {
 public:
  FileStream(int fd, bool owned, const std::function<void(std::uint64_t)>& consumed)
      : fd_(fd), owned_(owned), consumed_(consumed) {
    struct stat info {};
    if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && ::lseek(fd, 0, SEEK_CUR) == 0)
      random_.emplace(fd, static_cast<std::uint64_t>(info.st_size));
  }
  ~FileStream() override {
    if (owned_) ::close(fd_);
  }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  Result<std::string_view> next() override {
    buffer_.resize(kWindow);
    ssize_t n = 0;
    do {
      n = ::read(fd_, buffer_.data(), buffer_.size());
    } while (n < 0 && errno == EINTR);
    if (n < 0) return system_error();
    if (consumed_ && !again_) consumed_(static_cast<std::uint64_t>(n));
    return std::string_view(buffer_.data(), static_cast<std::size_t>(n));
  }
  bool rewind() override {
    again_ = true;
    return ::lseek(fd_, 0, SEEK_SET) == 0;
  }
  const RandomBytes* random() const override { return random_ ? &*random_ : nullptr; }

 private:
  int fd_;
  bool owned_, again_ = false;
  const std::function<void(std::uint64_t)>& consumed_;
  std::optional<FileBytes> random_;
  std::string buffer_;
};

// One open archive; its members share the count against bombs.
struct OpenArchive {
  ArchiveHandle handle;
  ArchivePull pull;
  std::uint64_t decoded = 0;
};

class MemberStream : public ByteStream {
 public:
  MemberStream(OpenArchive& from, const ReadLimits& limits) : from_(from), limits_(limits) {}
  Result<std::string_view> next() override {
    while (!done_) {
      const void* data = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int result = archive_read_data_block(from_.handle.get(), &data, &size, &offset);
      if (result == ARCHIVE_EOF) break;
      done_ = true;
      if (result < ARCHIVE_WARN)
        return from_.pull.error ? *from_.pull.error : archive_error(from_.handle.get());
      if (offset != position_) return Error{"sparse member: not read"};
      position_ += static_cast<la_int64_t>(size);
      from_.decoded += size;
      if (is_bomb(from_.decoded, from_.pull.bytes, limits_)) return bomb_error(limits_);
      done_ = false;
      if (size > 0) return std::string_view(static_cast<const char*>(data), size);
    }
    done_ = true;
    return std::string_view();
  }

 private:
  OpenArchive& from_;
  const ReadLimits& limits_;
  la_int64_t position_ = 0;
  bool done_ = false;
};

class Walk {
 public:
  Walk(const ReadLimits& limits, const UseStream& use) : limits_(limits), use_(use) {}

  void stream(const std::string& name, ByteStream& bytes, std::uint32_t depth,
              std::uint32_t filters) {
    PeekedStream peeked(bytes, kHead);
    switch (sniff_container(peeked.head())) {
      case Container::none:
        use_(name, peeked);
        return;
      case Container::gzip:
      case Container::compressed: {
        if (filters >= kFiltersInARow) return fail(name, "compressed too often");
        CompressedStream decoded(peeked, limits_);
        stream(name, decoded, depth, filters + 1);
        return;
      }
      case Container::archive:
        if (depth >= limits_.depth)
          return fail(name, "an archive within archives: nested too deep");
        archive_members(name, peeked, depth + 1);
        return;
    }
  }

 private:
  void fail(const std::string& name, std::string why) { fail(name, Error{std::move(why)}); }
  void fail(const std::string& name, Error why) {
    FailedStream failed(std::move(why));
    use_(name, failed);
  }

  void archive_members(const std::string& name, ByteStream& bytes, std::uint32_t depth) {
    OpenArchive from;
    from.handle.reset(archive_read_new());
    archive* a = from.handle.get();
    archive_read_support_format_tar(a);
    archive_read_support_format_zip_streamable(a);
    from.pull.stream = &bytes;
    if (archive_read_open(a, &from.pull, nullptr, ArchivePull::read, nullptr) != ARCHIVE_OK)
      return fail(name, archive_error(a));
    archive_entry* entry = nullptr;
    for (std::uint64_t index = 1;; ++index) {
      const int result = archive_read_next_header(a, &entry);
      if (result == ARCHIVE_EOF) {
        if (from.pull.error) fail(name, *from.pull.error);
        return;
      }
      if (result < ARCHIVE_WARN)
        return fail(name, from.pull.error ? *from.pull.error : archive_error(a));
      const auto type = archive_entry_filetype(entry);
      if (type == AE_IFDIR) continue;
      const std::string member = name + "!" + member_name(entry, index);
      if (++members_ > limits_.members)
        return fail(member, "more than " + std::to_string(limits_.members) + " members: not read");
      if (type != AE_IFREG || archive_entry_hardlink(entry) != nullptr) {
        fail(member, "not a regular file");
        continue;
      }
      MemberStream data(from, limits_);
      stream(member, data, depth, 0);
    }
  }

  static std::string member_name(archive_entry* entry, std::uint64_t index) {
    const char* raw = archive_entry_pathname(entry);
    if (raw == nullptr) raw = archive_entry_pathname_utf8(entry);
    bool lossy = false;
    std::string name =
        raw == nullptr ? std::string() : to_utf8(std::string_view(raw), 4096, &lossy);
    name = std::filesystem::path(name).lexically_normal().string();
    return name.empty() || name == "." ? "#" + std::to_string(index) : name;
  }

  const ReadLimits& limits_;
  const UseStream& use_;
  std::uint32_t members_ = 0;
};

}  // namespace

Status for_each_stream(const std::string& path, const ReadLimits& limits,
                       const std::function<void(std::uint64_t bytes)>& consumed,
                       const UseStream& use) {
  const bool standard_input = path == "-";
  // O_NONBLOCK: opening a pipe that nobody writes to must not hang.
  const int fd = standard_input ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return system_error();
  struct stat info {};
  const bool known = ::fstat(fd, &info) == 0;
  FileStream file(fd, !standard_input, consumed);
  if (!known) return system_error();
  if (!standard_input) {
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) return Error{"not a regular file"};
    if (S_ISFIFO(info.st_mode)) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  }
  Walk(limits, use).stream(path, file, 0, 0);
  return Done{};
}

}  // namespace firstfault
