// What a kernel's line says about belonging to the job, by its class and the names in it. Internal
// to timeline/.
#pragma once

#include <cstdint>
#include <string_view>

#include "timeline/identity.h"

namespace firstfault {

// The process that ties a kernel's line to the job: `pid`, or -1 where the line is about the GPU
// itself, whoever happened to ask it (nvidia-smi meets a GSP that does not answer as well as a
// rank).
std::int64_t pid_that_counts(const Identity& identity, std::string_view cls, std::int64_t pid);

// A daemon of the machine: its crash is no rank's.
bool is_system_process(std::string_view name);

// A service of the machine, outside of containers and of what a scheduler started:
// "/system.slice/pingmesh.service".
bool is_system_cgroup(std::string_view cgroup);

}  // namespace firstfault
