#include "model/facts_file.h"

#include <algorithm>

#include "base/hash.h"
#include "model/digest/source_fields.h"

namespace firstfault {

namespace {

constexpr std::size_t kHeadBytes = 8 + 4 + 8;  // magic, format, payload length
constexpr std::size_t kSumBytes = 8;

void put(std::string* out, std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

std::uint64_t get(std::string_view bytes, std::size_t at, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return value;
}

bool indices_hold(const FrDump& dump) {
  const std::size_t strings = dump.strings.size();
  return std::all_of(dump.entries.begin(), dump.entries.end(), [&](const FrEntry& e) {
    return e.group < dump.groups.size() && e.name < strings && e.in_shape < strings &&
           e.out_shape < strings && e.in_dtype < strings && e.out_dtype < strings &&
           e.stack < dump.stacks.size();
  });
}

bool indices_hold(const SourceFacts& source) {
  const auto known = [&](const auto& item) { return item.speaker < source.speakers.size(); };
  return std::all_of(source.records.begin(), source.records.end(), known) &&
         std::all_of(source.events.begin(), source.events.end(), known) &&
         std::all_of(source.op_streams.begin(), source.op_streams.end(), known) &&
         std::all_of(source.flight_recorder.begin(), source.flight_recorder.end(),
                     [](const FrDump& dump) { return indices_hold(dump); });
}

}  // namespace

bool is_facts_file(std::string_view head) { return head.starts_with(kFactsMagic); }

std::string seal_facts(std::string_view payload, std::uint32_t format) {
  std::string out(kFactsMagic);
  out.reserve(kHeadBytes + payload.size() + kSumBytes);
  put(&out, format, 4);
  put(&out, payload.size(), 8);
  out += payload;
  put(&out, hash_bytes(out), 8);
  return out;
}

std::string write_facts(const Facts& facts) {
  digest::Writer writer;
  // One description serves both directions, so it takes a mutable object; a Writer only reads it.
  fields(writer, const_cast<Facts&>(facts));
  return seal_facts(writer.bytes());
}

Result<Facts> read_facts(std::string_view bytes) {
  if (!is_facts_file(bytes)) return Error{"not a digest file"};
  if (bytes.size() < kHeadBytes) return Error{"digest file: truncated in its head"};
  const auto format = static_cast<std::uint32_t>(get(bytes, 8, 4));
  if (format > kFactsFormat) {
    return Error{"digest file: format " + std::to_string(format) + " is newer than format " +
                 std::to_string(kFactsFormat) + ", the newest this program reads"};
  }
  if (format < kFactsFormat) {
    return Error{"digest file: format " + std::to_string(format) + " is no longer read"};
  }
  const std::uint64_t length = get(bytes, 12, 8);
  const std::uint64_t behind = bytes.size() - kHeadBytes;
  if (behind < kSumBytes || length > behind - kSumBytes) {
    return Error{"digest file: truncated, " + std::to_string(bytes.size()) +
                 " bytes of a payload of " + std::to_string(length)};
  }
  if (length != behind - kSumBytes) return Error{"digest file: something follows its end"};
  const std::string_view covered = bytes.substr(0, kHeadBytes + length);
  if (hash_bytes(covered) != get(bytes, covered.size(), 8)) {
    return Error{"digest file: damaged, the checksum does not match"};
  }

  digest::Reader reader(covered.substr(kHeadBytes));
  Facts facts;
  fields(reader, facts);
  if (reader.ok() && reader.left() != 0) reader.fail("unread bytes");
  if (!reader.ok()) return Error{"digest file: " + reader.error() + " of the payload"};
  if (!std::all_of(facts.sources.begin(), facts.sources.end(),
                   [](const SourceFacts& s) { return indices_hold(s); })) {
    return Error{"digest file: an index points nowhere"};
  }
  return facts;
}

}  // namespace firstfault
