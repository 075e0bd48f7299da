// Fields of sources and of what they say, up to Facts itself. See archive.h.
#pragma once

#include "model/digest/operation_fields.h"
#include "model/digest/place_fields.h"
#include "model/digest/record_fields.h"

namespace firstfault {

template <class Archive>
void fields(Archive& a, Capture& x) {
  auto& [name, value] = x;
  a(name, value);
}

template <class Archive>
void fields(Archive& a, Event& x) {
  auto& [cls, signature, captures] = x;
  a(cls, signature, captures);
}

template <class Archive>
void item_fields(Archive& a, Item& x, const Item& before) {
  auto& [speaker, first, last, count, quote, last_quote] = x;
  a(speaker);
  fields(a, first, before.first);
  fields(a, last, first);
  a(count);
  fields(a, quote, before.quote);
  fields(a, last_quote, quote);
}

template <class Archive>
void fields(Archive& a, RecordItem& x, const RecordItem& before) {
  item_fields(a, x, before);
  a(x.record);
}

template <class Archive>
void fields(Archive& a, EventItem& x, const EventItem& before) {
  item_fields(a, x, before);
  a(x.event);
}

template <class Archive>
void fields(Archive& a, OpStream& x) {
  auto& [speaker, comm, incarnation, nranks, ops] = x;
  a(speaker, comm, incarnation, nranks, ops);
}

template <class Archive>
void fields(Archive& a, OpStreams& x) {
  if constexpr (Archive::kReading) {
    const std::uint64_t n = a.count();
    for (std::uint64_t i = 0; i < n && a.ok(); ++i) {
      OpStream stream;
      fields(a, stream);
      x.push_back(std::move(stream));
    }
  } else {
    a.number(x.size());
    for (OpStream& stream : x) fields(a, stream);
  }
}

template <class Archive>
void fields(Archive& a, SourceInfo& x) {
  auto& [path, content_hash, kind, read, bytes, lines, note, path_rank, attempt] = x;
  a(path, content_hash, kind, read, bytes, lines, note, path_rank, attempt);
}

template <class Archive>
void fields(Archive& a, SourceFacts& x) {
  auto& [info, speakers, records, events, op_streams, flight_recorder, first_stamp, last_stamp,
         last_line, ends_in_mid_line, unrecognised_errors] = x;
  a(info, speakers, records, events, op_streams, flight_recorder, first_stamp, last_stamp,
    last_line, ends_in_mid_line, unrecognised_errors);
}

template <class Archive>
void fields(Archive& a, Skipped& x) {
  auto& [path, reason, bytes] = x;
  a(path, reason, bytes);
}

template <class Archive>
void fields(Archive& a, Facts& x) {
  auto& [sources, skipped, roots] = x;
  a(sources, skipped, roots);
}

}  // namespace firstfault
