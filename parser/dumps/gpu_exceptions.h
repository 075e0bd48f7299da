// Names of CUDBGException_t (cudadebugger.h of CUDA 13.1), as cuda-gdb prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace firstfault {

inline constexpr std::string_view kGpuExceptions[] = {
    "",
    "Lane Illegal Address",
    "Lane User Stack Overflow",
    "Device Hardware Stack Overflow",
    "Warp Illegal Instruction",
    "Warp Out-of-range Address",
    "Warp Misaligned Address",
    "Warp Invalid Address Space",
    "Warp Invalid PC",
    "Warp Hardware Stack Overflow",
    "Device Illegal Address",
    "Lane Misaligned Address",
    "Warp Assert",
    "Lane Syscall Error",
    "Warp Illegal Address",
    "Non-migratable Atomic System",
    "Invalid Atomic System",
    "Cluster Out-of-range Address",
    "Cluster Block Not Present",
    "Warp Stack Canary",
    "Warp TMEM Access Check",
    "Warp TMEM Leak",
    "Warp Call Requires Newer Driver",
    "Warp Misaligned PC",
    "Warp PC Overflow",
    "Warp Misaligned Register",
    "Warp Illegal Instruction Encoding",
    "Warp Illegal Instruction Parameter",
    "Warp Out-of-range Register",
    "Warp Invalid Constant Address",
    "Warp MMU Fault",
    "Warp Memory Barrier Arrive",
    "Cluster Poison",
    "Warp API Stack Error",
    "Warp Block Not Present",
    "Warp User Stack Overflow",
    "TMA Syscall",
};

inline constexpr std::int32_t kGpuTrap = 0;  // stopped by __trap(): no exception is noted
inline constexpr std::string_view kGpuTrapName = "Trace/breakpoint trap";

inline std::string gpu_exception_name(std::uint32_t code) {
  if (code == kGpuTrap) return std::string(kGpuTrapName);
  if (code < std::size(kGpuExceptions)) return std::string(kGpuExceptions[code]);
  return "CUDA exception " + (code == UINT32_MAX ? "unknown" : std::to_string(code));
}

}  // namespace firstfault
