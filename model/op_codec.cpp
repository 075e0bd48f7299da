#include "model/op_codec.h"

namespace firstfault {

namespace {

// Head of a row: the call's number in the low bits, then what is as predicted.
constexpr unsigned kCallBits = 0x07, kNewCall = 0x08, kSameLength = 0x10, kSameOpStep = 0x20,
                   kSameLineStep = 0x40;
// Head of stamps: clock and grade in two bits each.
constexpr unsigned kGradeShift = 2, kYearless = 0x10, kSameWidth = 0x20, kFraction = 0x40,
                   kUnbounded = 0x80;

void put(std::uint64_t v, Bytes* out) {
  while (v >= 0x80) {
    out->push_back(static_cast<unsigned char>(v | 0x80));
    v >>= 7;
  }
  out->push_back(static_cast<unsigned char>(v));
}

const unsigned char* get(const unsigned char* at, std::uint64_t* v) {
  *v = 0;
  for (unsigned shift = 0;; shift += 7) {
    const unsigned char byte = *at++;
    *v |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return at;
  }
}

// Differences wrap, so that any two numbers have one.
void put_signed(std::uint64_t difference, Bytes* out) {
  const auto v = static_cast<std::int64_t>(difference);
  put(difference << 1 ^ static_cast<std::uint64_t>(v >> 63), out);
}

const unsigned char* get_signed(const unsigned char* at, std::uint64_t* difference) {
  std::uint64_t v = 0;
  at = get(at, &v);
  *difference = v >> 1 ^ (~(v & 1) + 1);
  return at;
}

std::uint64_t wide(std::int64_t v) { return static_cast<std::uint64_t>(v); }

}  // namespace

void OpCoder::write(const OpRow& row, Bytes* out) {
  const Call call{row.count, row.reduction, row.root, row.kind, row.datatype};
  unsigned known = 0;
  while (known < kCalls && calls_[known] != call) ++known;
  unsigned head = known < kCalls ? known : kNewCall;
  const std::uint64_t op_step = row.op_count - op_count_;
  const std::uint32_t line_step = row.line - line_;
  if (row.length == length_) head |= kSameLength;
  if (op_step == op_step_) head |= kSameOpStep;
  if (line_step == line_step_) head |= kSameLineStep;
  out->push_back(static_cast<unsigned char>(head));
  put_signed(row.offset - offset_, out);
  if ((head & kSameLength) == 0) put(row.length, out);
  if ((head & kSameOpStep) == 0) put_signed(op_step, out);
  if ((head & kSameLineStep) == 0) put(line_step, out);
  if ((head & kNewCall) != 0) {
    out->push_back(static_cast<unsigned char>(row.kind));
    out->push_back(static_cast<unsigned char>(row.datatype));
    put_signed(wide(row.reduction), out);
    put_signed(wide(row.root), out);
    put(row.count, out);
    calls_[oldest_] = call;
    oldest_ = (oldest_ + 1) % kCalls;
  }
  offset_ = row.offset;
  op_count_ = row.op_count;
  op_step_ = op_step;
  length_ = row.length;
  line_ = row.line;
  line_step_ = line_step;
}

const unsigned char* OpCoder::read(const unsigned char* at, OpRow* row) {
  const unsigned head = *at++;
  std::uint64_t v = 0;
  at = get_signed(at, &v);
  offset_ += v;
  if ((head & kSameLength) == 0) {
    at = get(at, &v);
    length_ = static_cast<std::uint32_t>(v);
  }
  if ((head & kSameOpStep) == 0) at = get_signed(at, &op_step_);
  op_count_ += op_step_;
  if ((head & kSameLineStep) == 0) {
    at = get(at, &v);
    line_step_ = static_cast<std::uint32_t>(v);
  }
  line_ += line_step_;
  unsigned number = head & kCallBits;
  if ((head & kNewCall) != 0) {
    Call& call = calls_[oldest_];
    call.kind = static_cast<OpKind>(*at++);
    call.datatype = static_cast<std::int8_t>(*at++);
    at = get_signed(at, &v);
    call.reduction = static_cast<std::int64_t>(v);
    at = get_signed(at, &v);
    call.root = static_cast<std::int32_t>(v);
    at = get(at, &call.count);
    number = oldest_;
    oldest_ = (oldest_ + 1) % kCalls;
  }
  const Call& call = calls_[number];
  row->kind = call.kind;
  row->datatype = call.datatype;
  row->reduction = call.reduction;
  row->root = call.root;
  row->count = call.count;
  row->op_count = op_count_;
  row->offset = offset_;
  row->length = length_;
  row->line = line_;
  return at;
}

void write_stamps(std::uint32_t rows, const Stamp& stamp, const Stamp& before, Bytes* out) {
  const std::uint64_t width = wide(stamp.time.hi) - wide(stamp.time.lo);
  unsigned head = static_cast<unsigned>(stamp.clock) | static_cast<unsigned>(stamp.grade)
                                                           << kGradeShift;
  if (stamp.yearless) head |= kYearless;
  if (stamp.time.unknown()) head |= kUnbounded;
  if (width == wide(before.time.hi) - wide(before.time.lo)) head |= kSameWidth;
  if (stamp.monotonic_fraction_ns != -1) head |= kFraction;
  out->push_back(static_cast<unsigned char>(head));
  put(rows, out);
  if ((head & kUnbounded) == 0) {
    put_signed(wide(stamp.time.lo) - wide(before.time.lo), out);
    if ((head & kSameWidth) == 0) put(width, out);
  }
  if ((head & kFraction) != 0) put_signed(wide(stamp.monotonic_fraction_ns), out);
}

const unsigned char* read_stamps(const unsigned char* at, std::uint32_t* rows, Stamp* stamp) {
  const unsigned head = *at++;
  std::uint64_t v = 0;
  at = get(at, &v);
  *rows = static_cast<std::uint32_t>(v);
  stamp->clock = static_cast<Clock>(head & 3);
  stamp->grade = static_cast<StampGrade>(head >> kGradeShift & 3);
  stamp->yearless = (head & kYearless) != 0;
  stamp->monotonic_fraction_ns = -1;
  if ((head & kUnbounded) != 0) {
    stamp->time = {};
  } else {
    std::uint64_t width = wide(stamp->time.hi) - wide(stamp->time.lo);
    at = get_signed(at, &v);
    const std::uint64_t lo = wide(stamp->time.lo) + v;
    if ((head & kSameWidth) == 0) at = get(at, &width);
    stamp->time = {static_cast<std::int64_t>(lo), static_cast<std::int64_t>(lo + width)};
  }
  if ((head & kFraction) != 0) {
    at = get_signed(at, &v);
    stamp->monotonic_fraction_ns = static_cast<std::int32_t>(v);
  }
  return at;
}

}  // namespace firstfault
