#include "parser/dumps/error_json.h"

#include "base/text.h"
#include "parser/dumps/call_stack.h"
#include "parser/dumps/json_document.h"

namespace firstfault {

namespace {

// Seconds of the epoch up to the year 9999, as nanoseconds they fit 64 bits.
constexpr std::int64_t kLastSecond = 9'223'372'035;

void stamp_from(const Document& doc, const Value* seconds, Stamp* when) {
  if (seconds == nullptr || when == nullptr) return;
  const std::optional<std::int64_t> s = doc.number(*seconds);
  if (!s || *s <= 0 || *s > kLastSecond) return;
  *when = Stamp{};
  when->clock = Clock::utc;
  when->grade = StampGrade::printed;
  when->time = Interval::between(*s * kSecond, (*s + 1) * kSecond);
}

const Value* find(const Document& doc, const Value* dict, std::string_view key) {
  return dict == nullptr ? nullptr : doc.find(*dict, key);
}

}  // namespace

Result<ExceptionReport> read_error_json(std::string_view bytes, Stamp* when) {
  Result<Document> doc = read_json(bytes);
  if (!doc) return doc.error().in("error.json");
  const Value* outer = doc->find(doc->root(), "message");
  const Value* inner = find(*doc, outer, "message");
  const Value* message = inner != nullptr ? inner : outer;
  if (message == nullptr || !message->is(ValueKind::text)) {
    return Error{"error.json: no message in it"};
  }
  const Value* extra = find(*doc, outer, "extraInfo");
  if (extra == nullptr) extra = doc->find(doc->root(), "extraInfo");
  const Value* stack = find(*doc, extra, "py_callstack");

  ExceptionReport report;
  ExceptionLine line = split_exception(doc->text(*message));
  report.type = std::move(line.type);
  report.message = std::move(line.message);
  if (stack != nullptr) {
    CallStack calls = read_call_stack(doc->text(*stack));
    report.frames = std::move(calls.frames);
    if (!calls.chain.empty()) {
      // The traceback names the module too: "torch.distributed.DistBackendError".
      const std::string& full = calls.chain.back().type;
      if (full.ends_with("." + report.type)) report.type = full;
    }
    if (calls.chain.size() > 1) {
      report.cause_type = std::move(calls.chain.front().type);
      report.cause_message = std::move(calls.chain.front().message);
    }
  }
  const Value* seconds = find(*doc, extra, "timestamp");
  if (seconds == nullptr) seconds = find(*doc, outer, "timestamp");
  if (seconds == nullptr) seconds = doc->find(doc->root(), "timestamp");
  stamp_from(*doc, seconds, when);
  return report;
}

}  // namespace firstfault
