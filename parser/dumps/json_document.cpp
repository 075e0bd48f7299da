#include "parser/dumps/json_document.h"

#include <vector>

#include "parser/dumps/document_builder.h"
#include "parser/dumps/interner.h"
#include "parser/dumps/json_events.h"

namespace firstfault {

namespace {

class JsonBuilder : public JsonHandler {
 public:
  JsonBuilder(std::string_view bytes, const DumpLimits& limits) : builder_(bytes, limits) {}

  DocumentBuilder& builder() { return builder_; }

  bool begin_object(std::uint64_t offset) override { return open(ValueKind::dict, offset); }
  bool begin_array(std::uint64_t offset) override { return open(ValueKind::list, offset); }
  bool end_object(std::uint64_t end) override { return close(end); }
  bool end_array(std::uint64_t end) override { return close(end); }
  bool key(std::string_view name) override { return text(name); }
  bool text(std::string_view value) override {
    const std::uint32_t index = strings_.intern(value);
    std::string& all = builder_.own_text();
    if (index == offsets_.size()) {
      offsets_.push_back(all.size());
      all.append(value);
    }
    builder_.push_text(offsets_[index], value.size());
    return next();
  }
  bool integer(std::int64_t value) override {
    builder_.push_integer(value);
    return next();
  }
  bool real(double value) override {
    builder_.push_real(value);
    return next();
  }
  bool boolean(bool value) override {
    builder_.push_boolean(value);
    return next();
  }
  bool null() override {
    builder_.push_none();
    return next();
  }

 private:
  bool next() {
    ++builder_.counters().opcodes;
    return builder_.ok();
  }
  bool open(ValueKind kind, std::uint64_t offset) {
    builder_.open(kind, offset);
    builder_.mark();
    return next();
  }
  bool close(std::uint64_t end) {
    builder_.close_mark(end);
    return next();
  }

  DocumentBuilder builder_;
  Interner strings_;
  std::vector<std::uint64_t> offsets_ = {0};  // in own_text, by number; number 0 is ""
};

}  // namespace

Result<Document> read_json(std::string_view bytes, const DumpLimits& limits) {
  JsonBuilder handler(bytes, limits);
  DocumentBuilder& builder = handler.builder();
  if (!builder.ok()) return Error{"json: " + builder.error()};
  const JsonOutcome outcome = read_json_events(bytes, handler);
  builder.counters().bytes = outcome.offset;
  if (!builder.ok()) {
    return Error{"json: " + builder.error() + " (offset " + std::to_string(outcome.offset) + ")"};
  }
  if (!outcome.complete && !outcome.ended_early) return Error{"json: " + outcome.error};
  if (const Value* last = builder.top();
      !outcome.complete && last != nullptr &&
      (last->is(ValueKind::integer) || last->is(ValueKind::real))) {
    builder.drop_top();  // "179" may be the front of 1796096779592712797
  }
  Result<Document> out = outcome.complete ? builder.finish() : builder.finish_truncated();
  if (!out) return out.error().in("json");
  return out;
}

}  // namespace firstfault
