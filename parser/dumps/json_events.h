// JSON as a stream of events with byte offsets: no tree, no recursion, no exception. The one place
// of this room that includes the JSON library.
//
//   struct Keys : JsonHandler { bool key(std::string_view k) override { ...; return true; } };
//   Keys keys;
//   JsonOutcome end = read_json_events("{\"a\": 1}", keys);     // end.complete == true
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace firstfault {

// Every function returns false to stop reading.
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;
  virtual bool begin_object(std::uint64_t offset) = 0;  // of '{'
  virtual bool end_object(std::uint64_t end) = 0;       // behind '}'
  virtual bool begin_array(std::uint64_t offset) = 0;
  virtual bool end_array(std::uint64_t end) = 0;
  virtual bool key(std::string_view name) = 0;
  virtual bool text(std::string_view value) = 0;
  virtual bool integer(std::int64_t value) = 0;
  virtual bool real(double value) = 0;  // also integers that do not fit 64 bits signed
  virtual bool boolean(bool value) = 0;
  virtual bool null() = 0;
};

struct JsonOutcome {
  bool complete = false;     // one whole value was read
  bool ended_early = false;  // the input stops inside it; events so far are good
  std::string error;         // "" when complete or stopped by the handler
  std::uint64_t offset = 0;  // how far reading came
};

// Reads one value; what follows it (a newline, another value) is not looked at.
JsonOutcome read_json_events(std::string_view bytes, JsonHandler& handler);

}  // namespace firstfault
