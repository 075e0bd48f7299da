// Fields of operations: NCCL's COLL lines (OpRow, OpWindow) and Flight Recorder dumps. See
// archive.h.
#pragma once

#include "model/digest/place_fields.h"

namespace firstfault {

template <class Archive>
void fields(Archive& a, OpRow& x, const OpRow& before) {
  auto& [kind, datatype, reduction, root, count, op_count, offset, length, line, stamp] = x;
  a(kind, datatype, reduction, root, count);
  a.delta(op_count, before.op_count);
  a.delta(offset, before.offset);
  a(length);
  a.delta(line, before.line);
  fields(a, stamp, before.stamp);
}

template <class Archive>
void fields(Archive& a, OpHistory& x) {
  auto [total, open, level, halves, blocks] = x.fields();
  a(total, open, level, halves, blocks);
  if constexpr (Archive::kReading) {
    if (!x.holds()) a.fail("a history of operations that contradicts itself");
  }
}

template <class Archive>
void fields(Archive& a, OpWindow& x) {
  OpHistory history = x.history();
  std::vector<OpRow> rows;
  if constexpr (!Archive::kReading) {
    for (const OpRow& row : x.rows()) rows.push_back(row);
  }
  a(history, rows);
  if constexpr (Archive::kReading) {
    if (rows.size() > OpWindow::kWindow || rows.size() > history.total()) {
      a.fail("an operation window that contradicts itself");
      return;
    }
    x = OpWindow::restore(std::move(history), rows);
  }
}

template <class Archive>
void fields(Archive& a, FrFrame& x) {
  auto& [function, file, line] = x;
  a(function, file, line);
}

template <class Archive>
void fields(Archive& a, FrGroup& x) {
  auto& [name, desc, members, last_enqueued, last_started, last_completed] = x;
  a(name, desc, members, last_enqueued, last_started, last_completed);
}

template <class Archive>
void fields(Archive& a, FrEntry& x, const FrEntry& before) {
  auto& [record_id, collective_seq, p2p_seq, op_id, in_numel, out_numel, created_ns,
         discovered_started_ns, discovered_completed_ns, timeout_ms, offset, length, group, name,
         in_shape, out_shape, in_dtype, out_dtype, stack, peer, is_p2p, kind, state, retired] = x;
  a(group);
  a.delta(record_id, before.record_id);
  a.delta(collective_seq, before.collective_seq);
  a.delta(p2p_seq, before.p2p_seq);
  a.delta(op_id, before.op_id);
  a(is_p2p, kind, peer, name, in_shape, out_shape, in_dtype, out_dtype, in_numel);
  a.delta(out_numel, in_numel);
  a(state, retired);
  a.delta(created_ns, before.created_ns);
  a.delta(discovered_started_ns, before.discovered_started_ns);
  a.delta(discovered_completed_ns, before.discovered_completed_ns);
  a.delta(timeout_ms, before.timeout_ms);
  a(stack);
  a.delta(offset, before.offset);
  a(length);
}

template <class Archive>
void fields(Archive& a, FrDump& x) {
  auto& [version, comm_lib_version, groups, strings, stacks, entries, entries_total, truncated,
         created, last_created_ns] = x;
  a(version, comm_lib_version, groups, strings, stacks, entries, entries_total, truncated);
  if constexpr (Archive::kReading) x.measure_times();
}

}  // namespace firstfault
