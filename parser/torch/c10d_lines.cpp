#include "parser/torch/c10d_lines.h"

#include <optional>

#include "base/text.h"

namespace firstfault {

namespace {

// The number behind `label` anywhere in the text.
std::optional<std::int64_t> number_after(std::string_view t, std::string_view label) {
  const std::size_t at = t.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  t.remove_prefix(at + label.size());
  while (consume(&t, " ")) {
  }
  const bool negative = consume(&t, "-");
  const auto value = consume_int(&t);
  if (!value) return std::nullopt;
  return negative ? -*value : *value;
}

std::string_view word_after(std::string_view t, std::string_view label, std::string_view stops) {
  const std::size_t at = t.find(label);
  if (at == std::string_view::npos) return {};
  t.remove_prefix(at + label.size());
  return t.substr(0, t.find_first_of(stops));
}

// WorkNCCL(SeqNum=10, OpType=ALLREDUCE, NumelIn=.., NumelOut=.., Timeout(ms)=12000)
bool work(std::string_view t, WorkFailure* out) {
  const std::size_t at = t.find("WorkNCCL(");
  if (at == std::string_view::npos) return false;
  t.remove_prefix(at);
  out->seq = number_after(t.substr(0, 200), "SeqNum=").value_or(-1);
  out->op_type = std::string(word_after(t, "OpType=", ",)"));
  out->kind = op_from_c10d(out->op_type);
  out->numel_in = number_after(t, "NumelIn=").value_or(-1);
  out->numel_out = number_after(t, "NumelOut=").value_or(-1);
  out->timeout_ms = number_after(t, "Timeout(ms)=").value_or(-1);
  return !out->op_type.empty();
}

bool timeout_line(std::string_view t, FactSink& sink) {
  if (t.find("aught collective operation timeout: ") == std::string_view::npos) return false;
  // The watchdog's sentence is repeated inside nested messages; only the first word of it counts.
  if (t.find("terminated with exception") != std::string_view::npos ||
      t.find("what():") != std::string_view::npos)
    return false;
  WorkFailure w;
  if (!work(t, &w)) return false;
  w.group_rank = static_cast<std::int32_t>(number_after(t, "[Rank ").value_or(-1));
  w.ran_ms = number_after(t, "ran for ").value_or(-1);
  sink.add(std::move(w));
  return true;
}

// "Work WorkNCCL(...) timed out in blocking wait.", "... timed out in call to wait()."
bool blocking_line(std::string_view t, FactSink& sink) {
  const std::size_t at = t.find(") timed out in ");
  if (at == std::string_view::npos) return false;
  const std::string_view how = t.substr(at + 15);
  if (!how.starts_with("blocking wait") && !how.starts_with("call to wait()")) return false;
  WorkFailure w;
  w.how = WorkFailure::How::blocking_wait;
  if (!work(t, &w)) return false;
  w.group_rank = static_cast<std::int32_t>(number_after(t, "[Rank ").value_or(-1));
  sink.add(std::move(w));
  return true;
}

bool exception_line(std::string_view t, FactSink& sink) {
  static constexpr std::string_view kMarks[] = {
      "raised the following async exception: ",
      "found async exception when checking for NCCL errors: "};
  for (const std::string_view mark : kMarks) {
    const std::size_t at = t.find(mark);
    if (at == std::string_view::npos) continue;
    WorkFailure w;
    w.how = WorkFailure::How::exception;
    work(t.substr(0, at), &w);
    w.group_rank = static_cast<std::int32_t>(number_after(t, "[Rank ").value_or(-1));
    bool lossy = false;
    w.reason = to_utf8(t.substr(at + mark.size()), kQuoteBytes, &lossy);
    sink.add(std::move(w));
    return true;
  }
  return false;
}

// "[PG ID 1 PG GUID 2(tp1) Rank 1] ", "[PG 0 (default_pg) Rank 3] ", "[PG 1 Rank 14] "
void group_context(std::string_view t, GroupStatus* out) {
  if (!t.starts_with("[PG ")) return;
  const std::string_view in = t.substr(0, t.find(']'));
  out->pg_id = number_after(in, "PG ID ").value_or(number_after(in, "[PG ").value_or(-1));
  out->group_rank = static_cast<std::int32_t>(number_after(in, " Rank ").value_or(-1));
  std::string_view guid = word_after(in, "PG GUID ", "( ");
  out->pg_name = std::string(guid);
  const std::size_t open = in.find('('), close = in.rfind(')');
  if (open != std::string_view::npos && close != std::string_view::npos && close > open) {
    out->pg_desc = std::string(in.substr(open + 1, close - open - 1));
  }
}

bool status_line(std::string_view t, FactSink& sink) {
  GroupStatus g;
  group_context(t, &g);
  if (t.find("failure detected by watchdog at work sequence id: ") != std::string_view::npos) {
    g.failed_seq = number_after(t, "work sequence id: ").value_or(-1);
    g.last_enqueued = number_after(t, "last enqueued work: ").value_or(-2);
    g.last_started = number_after(t, "last started work: ").value_or(-2);
    g.last_completed = number_after(t, "last completed work: ").value_or(-2);
    sink.add(std::move(g));
    return true;
  }
  if (t.find("detected by watchdog at work: ") != std::string_view::npos ||
      t.find("] Timeout at NCCL work: ") != std::string_view::npos) {
    g.failed_seq =
        number_after(t, "at work: ").value_or(number_after(t, "at NCCL work: ").value_or(-1));
    g.last_enqueued = number_after(t, "last enqueued NCCL work: ").value_or(-2);
    g.last_completed = number_after(t, "last completed NCCL work: ").value_or(-2);
    sink.add(std::move(g));
    return true;
  }
  const bool local = t.find("Received a dump signal") != std::string_view::npos &&
                     t.find("from this local rank") != std::string_view::npos;
  const bool remote =
      !local && (t.find("Received a dump signal due to a collective timeout from") !=
                     std::string_view::npos ||
                 t.find("Received a global dump signal from rank") != std::string_view::npos);
  if (!local && !remote) return false;
  g.why = local ? GroupStatus::Why::dump_signal_local : GroupStatus::Why::dump_signal_remote;
  if (remote) {
    g.signalled_by = static_cast<std::int32_t>(
        number_after(t, "from  rank ").value_or(number_after(t, "from rank ").value_or(-1)));
  }
  g.last_enqueued = number_after(t, "Last enqueued NCCL work: ").value_or(-2);
  g.last_completed = number_after(t, "last completed NCCL work: ").value_or(-2);
  sink.add(std::move(g));
  return true;
}

// "Rank 1 is running collective: CollectiveFingerPrint(SequenceNumber=9, OpType=..,
// TensorShape=[..], ...)"
FingerprintMismatch::Side side(std::string_view t) {
  FingerprintMismatch::Side s;
  s.group_rank = static_cast<std::int32_t>(number_after(t, "Rank ").value_or(-1));
  const std::size_t print = t.find("CollectiveFingerPrint(");
  if (print == std::string_view::npos) return s;
  t.remove_prefix(print);
  s.seq = number_after(t, "SequenceNumber=").value_or(-1);
  s.op_type = std::string(word_after(t, "OpType=", ",)"));
  s.kind = op_from_c10d(s.op_type);
  const std::size_t shape = t.find("TensorShape=[");
  if (shape != std::string_view::npos) {
    const std::size_t end = t.find(']', shape);
    if (end != std::string_view::npos)
      s.shape = std::string(t.substr(shape + 12, end - shape - 11));
  }
  s.dtype = std::string(dtype_from_torch(word_after(t, "TensorDtypes=", ",)")));
  s.device = std::string(word_after(t, "device=", ",)"));
  return s;
}

bool fingerprint_line(std::string_view t, FactSink& sink) {
  const std::size_t at = t.find("Detected mismatch between collectives on ranks. ");
  if (at == std::string_view::npos) return false;
  t.remove_prefix(at);
  const std::size_t but = t.find("), but Rank ");
  FingerprintMismatch m;
  if (but == std::string_view::npos) {  // cut before the other side
    m.reporter = side(t);
    if (m.reporter.op_type.empty()) return false;
    sink.add(std::move(m));
    return true;
  }
  m.reporter = side(t.substr(0, but + 1));
  std::string_view other = t.substr(but + 7);
  const std::size_t differ = other.find("Collectives differ in");
  m.other = side(other.substr(0, differ));
  sink.add(std::move(m));
  return true;
}

bool barrier_line(std::string_view t, FactSink& sink) {
  BarrierReport b;
  const std::size_t failed = t.find(" failed to pass monitoredBarrier in ");
  if (failed != std::string_view::npos) {
    const std::size_t ranks = t.rfind("Rank", failed);
    if (ranks == std::string_view::npos) return false;
    std::string_view list = t.substr(ranks + 4, failed - ranks - 4);
    consume(&list, "s");
    const auto missing = RankSet::parse(trim(list));
    if (!missing) return false;
    b.missing = *missing;
    b.reporter = static_cast<std::int32_t>(number_after(t.substr(0, ranks), "[Rank ").value_or(-1));
    b.timeout_ms = number_after(t, "monitoredBarrier in ").value_or(-1);
    sink.add(std::move(b));
    return true;
  }
  const std::size_t reached = t.find(" successfully reached monitoredBarrier, but received errors");
  if (reached == std::string_view::npos) return false;
  b.reporter = static_cast<std::int32_t>(number_after(t, "Rank ").value_or(-1));
  sink.add(std::move(b));
  return true;
}

// Who publishes a key: gloo's ".../cpu//0/<rank>" the rank itself, NCCL's ".../cuda//0" rank 0.
std::int32_t publisher_of(std::string_view key) {
  for (const std::string_view mark : {"/cpu//0/", "//cpu//0/"}) {
    const std::size_t at = key.rfind(mark);
    if (at == std::string_view::npos) continue;
    std::string_view rest = key.substr(at + mark.size());
    const auto rank = consume_int(&rest);
    return rank && rest.empty() && *rank < 1 << 20 ? static_cast<std::int32_t>(*rank) : -1;
  }
  return key.ends_with("//cuda//0") ? 0 : -1;
}

bool store_line(std::string_view t, FactSink& sink) {
  const std::size_t setup = t.find("is setting up NCCL communicator");
  const std::size_t keys = t.find("keys: ");
  const bool bare = setup == std::string_view::npos;
  if (bare &&
      (keys == std::string_view::npos || t.find("wait timeout after ") == std::string_view::npos)) {
    return false;
  }
  StoreWait w;
  const std::size_t open = bare ? std::string_view::npos : t.rfind('[', setup);
  if (open != std::string_view::npos)
    w.waiter = static_cast<std::int32_t>(number_after(t.substr(open), "[").value_or(-1));
  w.publisher = static_cast<std::int32_t>(number_after(t, "ncclUniqueId from [").value_or(-1));
  w.timeout_ms = number_after(t, "wait timeout after ").value_or(-1);
  if (keys != std::string_view::npos) {
    w.key = std::string(trim(t.substr(keys + 6, 200)));
    // /default_pg/0//<group>//cuda//0
    const auto parts = split(w.key, '/');
    std::vector<std::string_view> words;
    for (const auto part : parts) {
      if (!part.empty()) words.push_back(part);
    }
    if (words.size() >= 4) w.pg_name = std::string(words[words.size() - 3]);
    if (bare) {
      w.publisher = publisher_of(w.key);
      w.pg_name.clear();
    }
  }
  sink.add(std::move(w));
  return true;
}

}  // namespace

std::span<const Gate> C10dLines::gates() const {
  static constexpr Gate kGates[] = {{"aught collective operation timeout: "},
                                    {"raised the following async exception: "},
                                    {"found async exception when checking"},
                                    {"detected by watchdog at work"},
                                    {"] Timeout at NCCL work: "},
                                    {"Received a dump signal"},
                                    {"Received a global dump signal"},
                                    {"Detected mismatch between collectives"},
                                    {"monitoredBarrier"},
                                    {"is setting up NCCL communicator"},
                                    {"wait timeout after "},
                                    {") timed out in "}};
  return kGates;
}

bool C10dLines::feed(const LineView& line, FactSink& sink) {
  const std::string_view t = line.text;
  if (t.size() < 20) return false;
  return timeout_line(t, sink) || blocking_line(t, sink) || exception_line(t, sink) ||
         status_line(t, sink) || fingerprint_line(t, sink) || barrier_line(t, sink) ||
         store_line(t, sink);
}

}  // namespace firstfault
