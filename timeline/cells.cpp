#include "timeline/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace firstfault {

namespace {

const std::string& text_of(const FrDump& dump, std::uint32_t i) {
  static const std::string kNone;
  return i < dump.strings.size() ? dump.strings[i] : kNone;
}

// "float32" for "Float"; what is not known (several tensors) stays as printed.
std::string dtype_of(const std::string& printed) {
  const std::string_view known = dtype_from_torch(printed);
  return known.empty() ? printed : std::string(known);
}

bool of_a_library(std::string_view file) {
  for (std::string_view part : {"site-packages/", "dist-packages/", "torch/distributed/",
                                "torch/utils/", "torch/nn/", "torch/autograd/", "<frozen"}) {
    if (file.find(part) != std::string_view::npos) return true;
  }
  return false;
}

constexpr std::string_view kFrStates[] = {"unknown", "scheduled", "started", "completed"};

Quote quote_of_entry(const FrDump& dump, const FrRow& row) {
  const FrEntry& e = *row.entry;
  Quote quote;
  quote.offset = e.offset;
  quote.length = e.length;
  quote.record = dump.entries_total == dump.entries.size()
                     ? fmt::format("entries[{}]", row.index)
                     : fmt::format("entries[record_id={}]", e.record_id);
  const std::string seq = std::to_string(e.collective_seq);
  const std::string_view pieces[] = {text_of(dump, e.name),
                                     " #",
                                     seq,
                                     " ",
                                     text_of(dump, e.in_shape),
                                     " ",
                                     text_of(dump, e.in_dtype),
                                     " -> ",
                                     text_of(dump, e.out_shape),
                                     " ",
                                     text_of(dump, e.out_dtype),
                                     ", ",
                                     kFrStates[static_cast<std::size_t>(e.state) % 4],
                                     e.retired ? ", retired" : ""};
  std::size_t length = 0;
  for (const std::string_view piece : pieces) length += piece.size();
  quote.text.reserve(length);
  for (const std::string_view piece : pieces) quote.text += piece;
  if (quote.text.size() > kQuoteBytes) {
    bool lossy = false;
    quote.text = to_utf8(quote.text, kQuoteBytes, &lossy);
  }
  return quote;
}

std::string user_frame(const FrDump& dump, std::uint32_t stack) {
  if (stack >= dump.stacks.size()) return "";
  const FrFrame* frame = nullptr;
  for (const FrFrame& f : dump.stacks[stack]) {
    if (of_a_library(f.file)) continue;
    frame = &f;
    break;
  }
  if (frame == nullptr) return "";
  return fmt::format("{}:{} in {}", base_name(frame->file), frame->line, frame->function);
}

}  // namespace

const std::string& UserFrames::of(const FrDump& dump, std::uint32_t stack) {
  auto [at, fresh] = known_.try_emplace({&dump, stack});
  if (fresh) at->second = user_frame(dump, stack);
  return at->second;
}

Cell cell_of_entry(const Scene& scene, const FrView& view, const FrRow& row,
                   std::int64_t proven_up_to, const Interval& cut, UserFrames* frames) {
  const FrDump& dump = *view.dump;
  const FrEntry& e = *row.entry;
  Cell cell;
  cell.known = cell.issued = true;
  const std::int64_t seq = row.seq;
  cell.seq = seq;
  cell.source = OpSource::flight_recorder;
  if (e.created_ns > 0) cell.issued_at = scene.clock.at_utc(e.created_ns);
  OpSignature& sig = cell.signature;
  sig.raw = text_of(dump, e.name);
  if (row.more > 0 && e.kind != OpKind::barrier) {
    sig.kind = OpKind::coalesced;  // several operations under one number: only the kind compares
  } else {
    sig.kind = e.kind;
    sig.count = e.in_numel;
    sig.out_count = e.out_numel;
    sig.shape = text_of(dump, e.in_shape);
    sig.dtype = dtype_of(text_of(dump, e.in_dtype));
  }
  cell.user_frame = frames->of(dump, e.stack);
  cell.evidence.push_back(scene.evidence(view.source, quote_of_entry(dump, row)));
  const bool noticed = e.discovered_completed_ns > 0;
  const Interval noticed_at = noticed ? scene.clock.at_utc(e.discovered_completed_ns) : Interval{};
  if (e.state == FrState::completed) {
    if (e.retired || seq <= proven_up_to) {
      cell.completed = true;
      cell.grade = Grade::proven;
    } else if (cut.bounded_below() && noticed && noticed_at.hi >= cut.lo) {
      cell.grade = Grade::nothing;  // the abort wrote it
    } else {
      cell.completed = true;
      cell.grade = Grade::reported;
    }
    if (cell.completed && noticed) cell.completed_at = {cell.issued_at.lo, noticed_at.hi};
  } else if (seq <= proven_up_to) {
    cell.completed = true;  // gloo entries stay `scheduled`; a later one of the stream was retired
    cell.grade = Grade::proven;
  }
  return cell;
}

Quote quote_of_row(const OpRow& row) {
  Quote quote;
  quote.offset = row.offset;
  quote.length = row.length;
  quote.line = row.line;
  quote.text =
      fmt::format("{}: opCount {:x} count {} datatype {} op {} root {}", op_name(row.kind),
                  row.op_count, row.count, static_cast<int>(row.datatype), row.reduction, row.root);
  quote.lossy = true;
  return quote;
}

Cell cell_of_row(const Scene& scene, std::uint32_t source, const OpRow& row, bool without_units) {
  Cell cell;
  cell.known = cell.issued = true;
  cell.source = OpSource::coll_line;
  cell.issued_at = scene.clock.at(row.stamp);
  OpSignature& sig = cell.signature;
  sig.kind = row.kind;
  sig.raw = std::string(op_name(row.kind));
  const bool unit = row.kind == OpKind::all_gather || row.kind == OpKind::broadcast;
  if (!(without_units && unit)) {
    if (row.count <= static_cast<std::uint64_t>(kTimeMax)) {
      sig.count = static_cast<std::int64_t>(row.count);
    }
    sig.dtype = std::string(dtype_from_nccl(row.datatype));
    if (sig.dtype.empty() && row.datatype >= 0) {
      sig.dtype = fmt::format("datatype {}", static_cast<int>(row.datatype));
    }
  }
  const bool reduces = row.kind == OpKind::all_reduce || row.kind == OpKind::reduce ||
                       row.kind == OpKind::reduce_scatter;
  if (reduces) sig.reduction = std::string(reduction_from_nccl(row.reduction));
  const bool rooted = row.kind == OpKind::broadcast || row.kind == OpKind::reduce ||
                      row.kind == OpKind::gather || row.kind == OpKind::scatter;
  if (rooted) sig.root = row.root;
  cell.evidence.push_back(scene.evidence(source, quote_of_row(row)));
  return cell;
}

Cell cell_of_failure(const FailureWord& word) {
  Cell cell;
  cell.known = cell.issued = true;
  cell.source = OpSource::watchdog;
  cell.seq = word.failure->seq;
  cell.signature.kind = word.failure->kind;
  cell.signature.raw = word.failure->op_type;
  cell.signature.count = word.failure->numel_in;
  cell.signature.out_count = word.failure->numel_out;
  if (word.failure->ran_ms >= 0 && word.failure->ran_ms < kTimeMax / kMillisecond) {
    cell.issued_at = word.time.shifted(-word.failure->ran_ms * kMillisecond);
  } else {
    cell.issued_at = {kTimeMin, word.time.hi};
  }
  cell.evidence.push_back(word.evidence);
  return cell;
}

}  // namespace firstfault
