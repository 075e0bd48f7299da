// The last value of every enumeration in Facts. The reader refuses anything behind it, so a value
// that is added to an enumeration has to be named here.
#pragma once

#include "model/digest/archive.h"
#include "model/facts.h"

namespace firstfault::digest {

template <>
inline constexpr Clock kLastOf<Clock> = Clock::boot;
template <>
inline constexpr StampGrade kLastOf<StampGrade> = StampGrade::printed;
template <>
inline constexpr SourceKind kLastOf<SourceKind> = SourceKind::empty;
template <>
inline constexpr ReadExtent kLastOf<ReadExtent> = ReadExtent::not_at_all;
template <>
inline constexpr OpKind kLastOf<OpKind> = OpKind::coalesced;
template <>
inline constexpr FrState kLastOf<FrState> = FrState::completed;
template <>
inline constexpr CommEnd::How kLastOf<CommEnd::How> = CommEnd::How::destroy;
template <>
inline constexpr WorkFailure::How kLastOf<WorkFailure::How> = WorkFailure::How::blocking_wait;
template <>
inline constexpr GroupStatus::Why kLastOf<GroupStatus::Why> = GroupStatus::Why::dump_signal_remote;
template <>
inline constexpr GpuKernelFault::Kind kLastOf<GpuKernelFault::Kind> = GpuKernelFault::Kind::sxid;

}  // namespace firstfault::digest
