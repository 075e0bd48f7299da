#include "parser/read_core.h"

#include <algorithm>

#include "parser/dumps/gpu_core.h"
#include "parser/dumps/host_core.h"

namespace firstfault {

namespace {

constexpr std::uint64_t kMostNotes = 64u << 20;  // of a core that comes as a stream

// Appends until there are `wanted` bytes or the stream ends; false when it ended. `*note` says why
// it ended early.
bool take(ByteStream& stream, std::uint64_t wanted, std::string* bytes, std::string* note) {
  while (bytes->size() < wanted) {
    Result<std::string_view> window = stream.next();
    if (!window) *note = window.error().message;
    if (!window || window->empty()) return false;
    bytes->append(*window);
  }
  return true;
}

Error with_note(const Error& error, const std::string& note) {
  return note.empty() ? error : Error{error.message + " (" + note + ")"};
}

Result<SourceFacts> gpu_core(SourceInfo info, const RandomBytes& bytes) {
  Result<GpuCore> core = read_gpu_core(bytes, info.path);
  if (!core) return core.error();
  SourceFacts facts;
  info.content_hash = core->hash;
  info.bytes = bytes.size();
  if (core->items.empty()) info.note = "no exception in it";
  facts.speakers.push_back(core->speaker);
  facts.first_stamp = facts.last_stamp = core->when;
  facts.records = std::move(core->items);
  facts.info = std::move(info);
  return facts;
}

Result<SourceFacts> host_core(SourceInfo info, const RandomBytes& bytes) {
  Result<HostCore> core = read_host_core(bytes);
  if (!core) return core.error();
  SourceFacts facts;
  info.content_hash = core->hash;
  info.bytes = bytes.size();
  info.note = "headers and notes only";
  Speaker speaker;
  speaker.pid = std::get<ProcessCore>(core->item.record).pid;
  facts.speakers.push_back(std::move(speaker));
  facts.records.push_back(std::move(core->item));
  facts.info = std::move(info);
  return facts;
}

}  // namespace

Result<SourceFacts> read_core(SourceInfo info, ByteStream& stream, const ReadLimits& limits) {
  const bool gpu = info.kind == SourceKind::gpu_core;
  std::string bytes, note;
  Result<SourceFacts> facts = Error{};
  if (const RandomBytes* random = stream.random()) {
    facts = gpu ? gpu_core(info, *random) : host_core(info, *random);
  } else if (gpu) {
    if (take(stream, limits.structured_bytes + 1, &bytes, &note))
      return Error{"larger than the limit for a dump in an archive or compressed file"};
    facts = gpu_core(info, MemoryBytes(bytes));
  } else {
    std::uint64_t wanted = 1;
    while (bytes.size() < wanted && take(stream, std::min(wanted, kMostNotes), &bytes, &note) &&
           wanted <= kMostNotes) {
      wanted = host_core_front(MemoryBytes(bytes));
    }
    facts = host_core(info, MemoryBytes(bytes));
  }
  if (!facts) return with_note(facts.error(), note);
  facts->speakers[0].path_rank = info.path_rank;
  facts->speakers[0].attempt = info.attempt;
  if (!note.empty()) {
    facts->info.read = ReadExtent::partly;
    facts->info.note = note;
  }
  return facts;
}

}  // namespace firstfault
