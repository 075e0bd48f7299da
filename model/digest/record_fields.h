// Fields of every Record. The order of the alternatives of `Record` is part of the format: new ones
// go behind the last, and a changed struct needs a new format number (facts_file.h). See archive.h.
#pragma once

#include "model/digest/enums.h"

namespace firstfault {

template <class Archive>
void fields(Archive& a, CommInit& x) {
  auto& [comm, rank, nranks, cuda_device, pci, comm_hash, parent, split_count, color, key,
         complete] = x;
  a(comm, rank, nranks, cuda_device, pci, comm_hash, parent, split_count, color, key, complete);
}

template <class Archive>
void fields(Archive& a, CommEnd& x) {
  auto& [comm, rank, nranks, how] = x;
  a(comm, rank, nranks, how);
}

template <class Archive>
void fields(Archive& a, Setting& x) {
  auto& [name, value] = x;
  a(name, value);
}

template <class Archive>
void fields(Archive& a, Version& x) {
  auto& [component, value] = x;
  a(component, value);
}

template <class Archive>
void fields(Archive& a, NetInterface& x) {
  auto& [interface, address] = x;
  a(interface, address);
}

template <class Archive>
void fields(Archive& a, OrderlyExit& x) {
  auto& [what] = x;
  a(what);
}

template <class Archive>
void fields(Archive& a, WorkFailure& x) {
  auto& [how, group_rank, seq, kind, op_type, numel_in, numel_out, timeout_ms, ran_ms, reason] = x;
  a(how, group_rank, seq, kind, op_type, numel_in, numel_out, timeout_ms, ran_ms, reason);
}

template <class Archive>
void fields(Archive& a, GroupStatus& x) {
  auto& [why, pg_id, pg_name, pg_desc, group_rank, failed_seq, last_enqueued, last_started,
         last_completed, signalled_by] = x;
  a(why, pg_id, pg_name, pg_desc, group_rank, failed_seq, last_enqueued, last_started,
    last_completed, signalled_by);
}

template <class Archive>
void fields(Archive& a, FingerprintMismatch::Side& x) {
  auto& [group_rank, seq, kind, op_type, shape, dtype, device] = x;
  a(group_rank, seq, kind, op_type, shape, dtype, device);
}

template <class Archive>
void fields(Archive& a, FingerprintMismatch& x) {
  auto& [reporter, other] = x;
  a(reporter, other);
}

template <class Archive>
void fields(Archive& a, BarrierReport& x) {
  auto& [reporter, missing, timeout_ms] = x;
  a(reporter, missing, timeout_ms);
}

template <class Archive>
void fields(Archive& a, DesyncReport::State& x) {
  auto& [seq, ranks, kind, op_type, finished] = x;
  a(seq, ranks, kind, op_type, finished);
}

template <class Archive>
void fields(Archive& a, DesyncReport& x) {
  auto& [group_rank, seq, kind, never_joined, states] = x;
  a(group_rank, seq, kind, never_joined, states);
}

template <class Archive>
void fields(Archive& a, StoreWait& x) {
  auto& [waiter, publisher, key, pg_name, timeout_ms] = x;
  a(waiter, publisher, key, pg_name, timeout_ms);
}

template <class Archive>
void fields(Archive& a, StackFrame& x) {
  auto& [function, file, line] = x;
  a(function, file, line);
}

template <class Archive>
void fields(Archive& a, ExceptionReport& x) {
  auto& [type, message, frames, cause_type, cause_message, printed_by_excepthook] = x;
  a(type, message, frames, cause_type, cause_message, printed_by_excepthook);
}

template <class Archive>
void fields(Archive& a, StackSnapshot& x) {
  auto& [trigger, frames, pid] = x;
  a(trigger, frames, pid);
}

template <class Archive>
void fields(Archive& a, ProcessExit& x) {
  auto& [pid, global_rank, local_rank, code, signal, host, named_first, by_agent, reported_by] = x;
  a(pid, global_rank, local_rank, code, signal, host, named_first, by_agent, reported_by);
}

template <class Archive>
void fields(Archive& a, SignalSent& x) {
  auto& [pid, signal, received] = x;
  a(pid, signal, received);
}

template <class Archive>
void fields(Archive& a, RankPlacement& x) {
  auto& [global_rank, local_rank, pid, host] = x;
  a(global_rank, local_rank, pid, host);
}

template <class Archive>
void fields(Archive& a, GpuKernelFault& x) {
  auto& [kind, number, pci, pid, process, text] = x;
  a(kind, number, pci, pid, process, text);
}

template <class Archive>
void fields(Archive& a, OomKill& x) {
  auto& [pid, process, constraint, cgroup] = x;
  a(pid, process, constraint, cgroup);
}

template <class Archive>
void fields(Archive& a, UserCrash& x) {
  auto& [pid, process, kind, where] = x;
  a(pid, process, kind, where);
}

template <class Archive>
void fields(Archive&, BootMark&) {}

template <class Archive>
void fields(Archive& a, RasStatus::Odd& x) {
  auto& [rank, what, launched, pid, node] = x;
  a(rank, what, launched, pid, node);
}

template <class Archive>
void fields(Archive& a, RasStatus& x) {
  auto& [comm_hash, status, op, majority_launched, odd] = x;
  a(comm_hash, status, op, majority_launched, odd);
}

template <class Archive>
void fields(Archive& a, Progress& x) {
  auto& [step] = x;
  a(step);
}

template <class Archive>
void fields(Archive& a, GpuException& x) {
  auto& [exception, kernel, source, block, thread, pid, device, sm, pc, code, function, pci, warp,
         lane] = x;
  a(exception, kernel, source, block, thread, pid, device, sm, pc, code, function, pci, warp, lane);
}

template <class Archive>
void fields(Archive& a, CudaError& x) {
  auto& [code, name, text, api] = x;
  a(code, name, text, api);
}

template <class Archive>
void fields(Archive& a, TreePlace& x) {
  auto& [rank] = x;
  a(rank);
}

template <class Archive>
void fields(Archive& a, ProcessCore& x) {
  auto& [pid, process, command, signal, address, where, libraries] = x;
  a(pid, process, command, signal, address, where, libraries);
}

}  // namespace firstfault
