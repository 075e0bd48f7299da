#include "parser/read.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "base/hash.h"
#include "base/text.h"
#include "model/facts_file.h"
#include "parser/dumps/error_json.h"
#include "parser/dumps/flight_recorder.h"
#include "parser/io/decoder.h"
#include "parser/io/sniff.h"
#include "parser/lines/fold.h"
#include "parser/nccl/ras_text.h"

namespace firstfault {

namespace fs = std::filesystem;

namespace {

// What one input file yields.
struct Yield {
  std::vector<SourceFacts> sources;
  std::vector<Skipped> skipped;
  std::vector<Facts> digests;
};

// Sources that are read as a whole.
bool structured(SourceKind kind) {
  switch (kind) {
    case SourceKind::flight_recorder:
    case SourceKind::error_json:
    case SourceKind::ras_status:
      return true;
    default:
      return false;
  }
}

Speaker speaker_of(const SourceInfo& info) {
  Speaker s;
  s.path_rank = info.path_rank;
  s.attempt = info.attempt;
  return s;
}

void read_structured(SourceInfo info, const std::string& bytes, Yield* out) {
  info.bytes = bytes.size();
  info.content_hash = hash_bytes(bytes);
  SourceFacts facts;
  facts.info = info;
  facts.speakers.push_back(speaker_of(info));
  const auto skip = [&](const Error& error) {
    out->skipped.push_back({info.path, error.message, info.bytes});
  };
  if (info.kind == SourceKind::flight_recorder) {
    Result<FrDump> dump = read_flight_recorder(bytes);
    if (!dump) return skip(dump.error());
    if (dump->truncated) {
      facts.info.read = ReadExtent::partly;
      facts.info.note = "the dump ends early";
    }
    facts.flight_recorder.push_back(std::move(*dump));
  } else if (info.kind == SourceKind::error_json) {
    Stamp when;
    Result<ExceptionReport> report = read_error_json(bytes, &when);
    if (!report) return skip(report.error());
    RecordItem item;
    item.first = item.last = when;
    item.quote.length = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), UINT32_MAX));
    item.quote.record = "message";
    item.quote.text =
        to_utf8(report->type + ": " + report->message, kQuoteBytes, &item.quote.lossy);
    item.record = std::move(*report);
    facts.first_stamp = facts.last_stamp = when;
    facts.records.push_back(std::move(item));
  } else {
    facts.records = read_ras_text(bytes);
    facts.info.lines = static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  }
  out->sources.push_back(std::move(facts));
}

// Feeds lines of a stream to the fold; keeps at most one unfinished line in memory.
class LineFeeder {
 public:
  explicit LineFeeder(Fold& fold) : fold_(fold) {}
  void window(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t newline = bytes.find('\n');
      if (newline == std::string_view::npos) {
        keep(bytes);
        return;
      }
      if (tail_.empty() && dropped_ == 0) {
        fold_.line(bytes.substr(0, newline), offset_);
        offset_ += newline + 1;
      } else {
        keep(bytes.substr(0, newline));
        flush(1);
      }
      bytes.remove_prefix(newline + 1);
    }
  }
  // Returns whether the stream ended without a newline.
  bool finish() {
    const bool open = !tail_.empty();
    if (open) flush(0);
    return open;
  }
  std::uint64_t offset() const { return offset_; }

 private:
  static constexpr std::size_t kLongestLine = 1u << 20;
  void keep(std::string_view bytes) {
    const std::size_t room = kLongestLine - tail_.size();
    tail_.append(bytes.substr(0, room));
    dropped_ += bytes.size() - std::min(room, bytes.size());
  }
  void flush(std::uint64_t newline) {
    fold_.line(tail_, offset_);
    offset_ += tail_.size() + dropped_ + newline;
    tail_.clear();
    dropped_ = 0;
  }

  Fold& fold_;
  std::string tail_;
  std::uint64_t dropped_ = 0;
  std::uint64_t offset_ = 0;
};

void read_stream(const std::string& name, ByteStream& stream, const LineMatcher& matcher,
                 const ReadLimits& limits, Yield* out) {
  SourceInfo info;
  info.path = name;
  Result<std::string_view> head = stream.next();
  if (!head) {
    out->skipped.push_back({name, head.error().message, 0});
    return;
  }
  std::string first(*head);
  if (is_facts_file(first)) {
    std::string bytes = std::move(first);
    for (Result<std::string_view> more = stream.next(); more && !more->empty();
         more = stream.next()) {
      bytes.append(*more);
      if (bytes.size() > limits.structured_bytes) break;
    }
    Result<Facts> facts = read_facts(bytes);
    if (!facts) {
      out->skipped.push_back({name, facts.error().message, bytes.size()});
    } else {
      out->digests.push_back(std::move(*facts));
    }
    return;
  }
  info.kind = sniff_kind(first, name);
  const PathHints hints = path_hints(name);
  info.path_rank = hints.rank;
  info.attempt = hints.attempt;
  if (info.kind == SourceKind::empty && first.size() < 4096) {
    out->skipped.push_back({name, "empty", first.size()});
    return;
  }
  if (info.kind == SourceKind::gpu_core || info.kind == SourceKind::host_core ||
      (!structured(info.kind) && looks_binary(first))) {
    out->skipped.push_back(
        {name,
         info.kind == SourceKind::gpu_core    ? "GPU core dump: not read by this version"
         : info.kind == SourceKind::host_core ? "core dump: not read by this version"
                                              : "binary, not a known format",
         first.size()});
    return;
  }
  std::string note;
  if (structured(info.kind)) {
    std::string bytes = std::move(first);
    for (;;) {
      Result<std::string_view> more = stream.next();
      if (!more) {
        note = more.error().message;
        break;
      }
      if (more->empty()) break;
      if (bytes.size() + more->size() > limits.structured_bytes) {
        out->skipped.push_back({name, "larger than the limit for a dump", bytes.size()});
        return;
      }
      bytes.append(*more);
    }
    read_structured(info, bytes, out);
    return;
  }
  Fold fold(info, matcher);
  LineFeeder feeder(fold);
  std::uint64_t hash = 0, bytes = 0;
  const auto take = [&](std::string_view window) {
    hash = hash_combine(hash, hash_bytes(window));
    bytes += window.size();
    feeder.window(window);
  };
  // Windows have no fixed borders, so the hash is taken over fixed blocks.
  std::string block = std::move(first);
  constexpr std::size_t kBlock = 1u << 20;
  for (;;) {
    Result<std::string_view> more = stream.next();
    if (!more) {
      note = more.error().message;
      break;
    }
    if (more->empty()) break;
    block.append(*more);
    while (block.size() >= kBlock) {
      take(std::string_view(block).substr(0, kBlock));
      block.erase(0, kBlock);
    }
    if (bytes > limits.source_bytes) {
      note = "longer than the limit for one source";
      break;
    }
  }
  take(block);
  const bool mid_line = feeder.finish();
  SourceFacts facts = fold.finish(bytes, mid_line);
  facts.info.content_hash = hash;
  if (!note.empty()) {
    facts.info.read = ReadExtent::partly;
    facts.info.note = note;
  }
  out->sources.push_back(std::move(facts));
}

struct Inputs {
  std::vector<std::string> files;  // sorted, unique
  std::vector<std::string> roots;
  std::vector<Skipped> skipped;
};

std::string absolute(const std::string& path) {
  std::error_code error;
  const fs::path full = fs::absolute(path, error);
  std::string out = (error ? fs::path(path) : full).lexically_normal().string();
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

Inputs list_inputs(const std::vector<std::string>& paths) {
  Inputs in;
  std::set<std::string> files, roots;
  for (const std::string& given : paths) {
    if (given == "-") {
      files.insert("-");
      continue;
    }
    const std::string path = absolute(given);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (error || status.type() == fs::file_type::not_found) {
      in.skipped.push_back({path, "no such file or folder", 0});
      continue;
    }
    if (!fs::is_directory(status)) {
      files.insert(path);
      roots.insert(std::string(dir_name(path)));
      continue;
    }
    roots.insert(path);
    // Links to folders are not followed, so a loop cannot arise.
    fs::recursive_directory_iterator walk(path, fs::directory_options::skip_permission_denied,
                                          error),
        end;
    if (error) in.skipped.push_back({path, error.message(), 0});
    while (walk != end) {
      std::error_code ignored;
      if (fs::is_regular_file(walk->path(), ignored))
        files.insert(walk->path().lexically_normal().string());
      walk.increment(error);
      if (error) {
        in.skipped.push_back({path, "listing stopped: " + error.message(), 0});
        break;
      }
    }
  }
  in.files.assign(files.begin(), files.end());
  in.roots.assign(roots.begin(), roots.end());
  return in;
}

}  // namespace

Facts read_inputs(const std::vector<std::string>& paths, const LineMatcher& matcher,
                  const ReadOptions& options) {
  Inputs inputs = list_inputs(paths);
  std::uint64_t total = 0;
  std::vector<std::uint64_t> sizes;
  for (const std::string& file : inputs.files) {
    std::error_code unknown;
    const std::uintmax_t size = file == "-" ? 0 : fs::file_size(file, unknown);
    sizes.push_back(unknown ? 0 : size);
    total += sizes.back();
  }
  std::vector<Yield> yields(inputs.files.size());
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> done{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < inputs.files.size(); i = next++) {
      const std::string& file = inputs.files[i];
      Yield& yield = yields[i];
      const Status opened =
          for_each_stream(file, options.limits, [&](const std::string& name, ByteStream& stream) {
            read_stream(name == "-" ? "/stdin" : name, stream, matcher, options.limits, &yield);
          });
      if (!opened) yield.skipped.push_back({file, opened.error().message, sizes[i]});
      done += sizes[i];
      if (options.progress) options.progress(done, total);
    }
  };
  unsigned threads =
      options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  threads = static_cast<unsigned>(
      std::min<std::size_t>(threads, std::max<std::size_t>(1, inputs.files.size())));
  std::vector<std::thread> pool;
  for (unsigned i = 1; i < threads; ++i) pool.emplace_back(work);
  work();
  for (std::thread& t : pool) t.join();

  Facts out;
  Facts all;
  all.skipped = std::move(inputs.skipped);
  all.roots = std::move(inputs.roots);
  for (Yield& yield : yields) {
    std::move(yield.sources.begin(), yield.sources.end(), std::back_inserter(all.sources));
    all.skipped.insert(all.skipped.end(), yield.skipped.begin(), yield.skipped.end());
  }
  bool only_digests = !yields.empty();
  for (Yield& yield : yields) only_digests &= !yield.digests.empty() && yield.sources.empty();
  if (only_digests) all.roots.clear();  // the digests know their own
  out.merge(std::move(all));
  for (Yield& yield : yields) {
    for (Facts& digest : yield.digests) out.merge(std::move(digest));
  }
  return out;
}

}  // namespace firstfault
