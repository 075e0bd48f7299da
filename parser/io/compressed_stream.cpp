#include "parser/io/compressed_stream.h"

#include <archive_entry.h>

#include "parser/io/archive_handle.h"
#include "parser/io/gunzip_tail.h"
#include "parser/io/sniff.h"

namespace firstfault {

namespace {

constexpr std::size_t kKept = 64u << 20;   // compressed bytes remembered for a second reading
constexpr std::size_t kTail = 256u << 10;  // more than any decoder keeps back

// Remembers what went through, so that it can be read again.
class TapeStream : public ByteStream {
 public:
  explicit TapeStream(ByteStream& source) : source_(source) {}
  Result<std::string_view> next() override {
    if (replaying_) {
      if (!replayed_) {
        replayed_ = true;
        if (!tape_.empty()) return std::string_view(tape_);
      }
      return replay_whole_ ? Result<std::string_view>(std::string_view()) : source_.next();
    }
    Result<std::string_view> window = source_.next();
    if (window && !overflown_) {
      if (tape_.size() + window->size() > kKept) {
        overflown_ = true;
        tape_ = std::string();
      } else {
        tape_.append(*window);
      }
    }
    return window;
  }
  bool rewind() override {
    replaying_ = true;
    if (!overflown_) {
      replay_whole_ = true;
      return true;
    }
    return source_.rewind();
  }

 private:
  ByteStream& source_;
  std::string tape_;
  bool overflown_ = false, replaying_ = false, replayed_ = false, replay_whole_ = false;
};

}  // namespace

bool is_bomb(std::uint64_t decoded, std::uint64_t packed, const ReadLimits& limits) {
  return decoded > (64u << 20) && decoded / std::max<std::uint64_t>(1, packed) > limits.ratio;
}

Error bomb_error(const ReadLimits& limits) {
  return Error{"refused: decodes to more than " + std::to_string(limits.ratio) + " times its size"};
}

struct CompressedStream::Impl {
  Impl(ByteStream& packed, const ReadLimits& l) : limits(l), head(packed, 16), tape(head) {
    gzip = sniff_container(head.head()) == Container::gzip;
    pull.stream = &tape;
    handle.reset(archive_read_new());
    archive_read_support_filter_gzip(handle.get());
    archive_read_support_filter_xz(handle.get());
    archive_read_support_filter_zstd(handle.get());
    archive_read_support_filter_bzip2(handle.get());
    archive_read_support_format_raw(handle.get());
    archive_entry* entry = nullptr;
    if (archive_read_open(handle.get(), &pull, nullptr, ArchivePull::read, nullptr) != ARCHIVE_OK ||
        archive_read_next_header(handle.get(), &entry) < ARCHIVE_WARN) {
      broken = archive_error(handle.get());
    }
  }

  // The end of a damaged stream: what libarchive kept back, then the error.
  Result<std::string_view> fail(Error error) {
    failed = true;
    const Error why = pull.error ? *pull.error : error;
    if (gzip && tape.rewind()) tail = gunzip_tail(tape, decoded, kTail);
    if (tail.empty()) {
      done = true;
      return why;
    }
    last = why;
    return std::string_view(tail);
  }

  ReadLimits limits;
  PeekedStream head;
  TapeStream tape;
  ArchivePull pull;
  ArchiveHandle handle;
  bool gzip = false, done = false, failed = false;
  std::uint64_t decoded = 0;
  std::optional<Error> broken;  // found on opening
  Error last;                   // to be told after the tail
  std::string tail;
};

CompressedStream::CompressedStream(ByteStream& packed, const ReadLimits& limits)
    : impl_(std::make_unique<Impl>(packed, limits)) {}
CompressedStream::~CompressedStream() = default;

Result<std::string_view> CompressedStream::next() {
  Impl& s = *impl_;
  if (s.done) return std::string_view();
  if (s.failed) {
    s.done = true;
    return s.last;
  }
  if (s.broken) return s.fail(*s.broken);
  for (;;) {
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int result = archive_read_data_block(s.handle.get(), &data, &size, &offset);
    if (result == ARCHIVE_EOF) {
      s.done = true;
      if (s.pull.error) return *s.pull.error;
      return std::string_view();
    }
    if (result < ARCHIVE_WARN) return s.fail(archive_error(s.handle.get()));
    s.decoded += size;
    if (is_bomb(s.decoded, s.pull.bytes, s.limits)) {
      s.done = true;
      return bomb_error(s.limits);
    }
    if (size > 0) return std::string_view(static_cast<const char*>(data), size);
  }
}

}  // namespace firstfault
