#include "parser/read.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/hash.h"
#include "base/text.h"
#include "model/facts_file.h"
#include "parser/dumps/error_json.h"
#include "parser/dumps/flight_recorder.h"
#include "parser/dumps/sanitizer_xml.h"
#include "parser/io/byte_stream.h"
#include "parser/io/decoder.h"
#include "parser/io/input_list.h"
#include "parser/io/sniff.h"
#include "parser/nccl/ras_json.h"
#include "parser/nccl/ras_text.h"
#include "parser/read_core.h"
#include "parser/scan/line_walk.h"
#include "parser/scan/region_cutter.h"
#include "parser/scan/vocabulary.h"

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
bool structured(SourceKind kind, std::string_view head) {
  switch (kind) {
    case SourceKind::sanitizer:
      return is_sanitizer_xml(head);
    case SourceKind::flight_recorder:
    case SourceKind::error_json:
    case SourceKind::ras_status:
      return true;
    default:
      return false;
  }
}

bool is_core(SourceKind kind) {
  return kind == SourceKind::gpu_core || kind == SourceKind::host_core;
}

Speaker speaker_of(const SourceInfo& info) {
  Speaker s;
  s.path_rank = info.path_rank;
  s.attempt = info.attempt;
  return s;
}

void read_structured(SourceInfo info, const std::string& bytes, const std::string& note,
                     Yield* out) {
  info.bytes = bytes.size();
  info.content_hash = hash_bytes(bytes);
  if (!note.empty()) {
    info.read = ReadExtent::partly;
    info.note = note;
  }
  SourceFacts facts;
  facts.info = info;
  facts.speakers.push_back(speaker_of(info));
  const auto skip = [&](const Error& error) {
    out->skipped.push_back(
        {info.path, note.empty() ? error.message : error.message + " (" + note + ")", info.bytes});
  };
  if (info.kind == SourceKind::flight_recorder) {
    Result<FrDump> dump = read_flight_recorder(bytes);
    if (!dump) return skip(dump.error());
    if (dump->truncated) {
      facts.info.read = ReadExtent::partly;
      if (note.empty()) facts.info.note = "the dump ends early";
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
    facts.records = info.kind == SourceKind::sanitizer ? read_sanitizer_xml(bytes)
                    : is_ras_json(std::string_view(bytes).substr(0, kSniffBytes))
                        ? read_ras_json(bytes)
                        : read_ras_text(bytes);
    facts.info.lines = static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  }
  out->sources.push_back(std::move(facts));
}

// The whole stream in memory. `*note` says why it ends early, "" if it does not. False, with the
// note, when it exceeds the limit.
bool read_whole(ByteStream& stream, const ReadLimits& limits, std::string* bytes,
                std::string* note) {
  for (;;) {
    Result<std::string_view> window = stream.next();
    if (!window) {
      *note = window.error().message;
      return true;
    }
    if (window->empty()) return true;
    if (bytes->size() + window->size() > limits.structured_bytes) {
      *note = "larger than the limit for a dump";
      return false;
    }
    bytes->append(*window);
  }
}

void read_digest(const std::string& name, const std::string& bytes, const std::string& note,
                 Yield* out) {
  Result<Facts> facts = read_facts(bytes);
  if (facts) {
    out->digests.push_back(std::move(*facts));
  } else {
    const std::string& why = facts.error().message;
    out->skipped.push_back({name, note.empty() ? why : why + " (" + note + ")", bytes.size()});
  }
}

void read_text(SourceInfo info, ByteStream& stream, const Vocabulary& vocabulary,
               const LineMatcher& matcher, const ReadLimits& limits, Yield* out) {
  LineWalk walk(std::move(info), vocabulary, matcher);
  RegionCutter cutter([&](const Region& region) { walk.region(region); });
  ByteHash hash;
  std::uint64_t bytes = 0;
  std::string note;
  while (note.empty()) {
    Result<std::string_view> window = stream.next();
    if (!window) {
      note = window.error().message;
      break;
    }
    if (window->empty()) break;
    std::string_view text = *window;
    if (text.size() > limits.source_bytes - bytes) {
      text = text.substr(0, limits.source_bytes - bytes);
      note = "longer than the limit for one source";
    }
    hash.add(text);
    bytes += text.size();
    cutter.add(text);
  }
  cutter.finish();
  SourceFacts facts = walk.finish(bytes, cutter.ends_in_mid_line());
  facts.info.content_hash = hash.value();
  if (!note.empty()) {
    facts.info.read = ReadExtent::partly;
    facts.info.note = note;
  } else if (cutter.cut_parts() > 0) {
    facts.info.note = std::to_string(cutter.cut_parts()) + " lines longer than 64 KiB were cut";
  }
  out->sources.push_back(std::move(facts));
}

// Why a source of this kind is not read; "" when it is.
std::string refusal(SourceKind kind, std::string_view head) {
  if (kind == SourceKind::empty) return "empty";
  if (!structured(kind, head) && !is_core(kind) && looks_binary(head))
    return "binary, not a known format";
  return {};
}

void read_stream(const std::string& name, ByteStream& stream, const Vocabulary& vocabulary,
                 const LineMatcher& matcher, const ReadLimits& limits, Yield* out) {
  PeekedStream peeked(stream, kSniffBytes);
  const std::string head(peeked.head().substr(0, kSniffBytes));
  if (head.empty()) {
    const Result<std::string_view> nothing = peeked.next();
    out->skipped.push_back({name, nothing ? "empty" : nothing.error().message, 0});
    return;
  }
  std::string bytes, note;
  const bool digest = is_facts_file(head);
  SourceKind kind = digest ? SourceKind::unknown : sniff_kind(head, name);
  // Blank for longer than is looked at: what follows may say something.
  if (kind == SourceKind::empty && head.size() == kSniffBytes) kind = SourceKind::rank_log;
  if (digest || structured(kind, head)) {
    if (!read_whole(peeked, limits, &bytes, &note)) {
      out->skipped.push_back({name, note, bytes.size()});
      return;
    }
    if (digest) return read_digest(name, bytes, note, out);
  }
  if (std::string reason = refusal(kind, head); !reason.empty()) {
    // A short source may be the beginning of something that broke off.
    while (head.size() < kSniffBytes && note.empty()) {
      Result<std::string_view> window = peeked.next();
      if (window && window->empty()) break;
      if (!window) note = window.error().message;
    }
    if (!note.empty()) reason += " (" + note + ")";
    out->skipped.push_back({name, std::move(reason), head.size()});
    return;
  }
  SourceInfo info;
  info.path = name;
  info.kind = kind;
  const PathHints hints = path_hints(name);
  info.path_rank = hints.rank;
  if (kind == SourceKind::flight_recorder && hints.rank < 0) info.path_rank = trailing_rank(name);
  info.attempt = hints.attempt;
  if (is_core(kind)) {
    Result<SourceFacts> facts = read_core(std::move(info), peeked, limits);
    if (facts) {
      out->sources.push_back(*std::move(facts));
    } else {
      out->skipped.push_back({name, facts.error().message, head.size()});
    }
    return;
  }
  if (structured(kind, head)) return read_structured(std::move(info), bytes, note, out);
  read_text(std::move(info), peeked, vocabulary, matcher, limits, out);
}

}  // namespace

Facts read_inputs(const std::vector<std::string>& paths, const LineMatcher& matcher,
                  const ReadOptions& options) {
  InputList inputs = list_inputs(paths);
  std::uint64_t total = 0;
  std::vector<std::uint64_t> sizes;
  for (const std::string& file : inputs.files) {
    std::error_code unknown;
    const std::uintmax_t size = file == "-" ? 0 : fs::file_size(file, unknown);
    sizes.push_back(unknown ? 0 : size);
    total += sizes.back();
  }
  const Vocabulary vocabulary(matcher, options.engine.value_or(Vocabulary::engine_for(total)));
  std::vector<Yield> yields(inputs.files.size());
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> done{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < inputs.files.size(); i = next++) {
      const std::string& file = inputs.files[i];
      Yield& yield = yields[i];
      std::uint64_t seen = 0;
      const auto advance = [&](std::uint64_t bytes) {
        bytes = std::min(bytes, sizes[i] - seen);  // a file may grow meanwhile
        seen += bytes;
        done += bytes;
        if (options.progress && bytes > 0) options.progress(done, total);
      };
      const Status opened = for_each_stream(
          file, options.limits, advance, [&](const std::string& name, ByteStream& stream) {
            bool lossy = false;
            std::string path = to_utf8(name, std::string::npos, &lossy);
            if (file == "-") path.replace(0, 1, "/stdin");
            read_stream(path, stream, vocabulary, matcher, options.limits, &yield);
          });
      if (!opened) yield.skipped.push_back({file, opened.error().message, sizes[i]});
      advance(sizes[i]);  // what a limit or damage left unread
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
