#include "timeline/machine_lines.h"

#include <algorithm>

namespace firstfault {

namespace {

constexpr std::string_view kOfTheGpu[] = {"kernel.xid_bus", "kernel.xid_memory",
                                          "kernel.xid_nvlink", "kernel.xid_gsp", "kernel.sxid"};

constexpr std::string_view kSystemProcesses[] = {"sshd",
                                                 "systemd",
                                                 "systemd-journal",
                                                 "systemd-logind",
                                                 "systemd-udevd",
                                                 "cron",
                                                 "crond",
                                                 "dbus-daemon",
                                                 "rsyslogd",
                                                 "dockerd",
                                                 "containerd",
                                                 "kubelet",
                                                 "snapd",
                                                 "NetworkManager",
                                                 "polkitd",
                                                 "slurmd",
                                                 "slurmstepd",
                                                 "munged",
                                                 "nscd",
                                                 "sssd",
                                                 "chronyd",
                                                 "ntpd",
                                                 "auditd",
                                                 "nvidia-smi",
                                                 "nvidia-persiste",
                                                 "nv-hostengine",
                                                 "dcgm-exporter",
                                                 "Xorg",
                                                 "gnome-shell",
                                                 "irqbalance",
                                                 "multipathd",
                                                 "lldpd",
                                                 "snmpd",
                                                 "zabbix_agentd",
                                                 "node_exporter"};

}  // namespace

std::int64_t pid_that_counts(const Identity& identity, std::string_view cls, std::int64_t pid) {
  const bool own =
      std::find(std::begin(kOfTheGpu), std::end(kOfTheGpu), cls) != std::end(kOfTheGpu);
  return own && pid >= 0 && !identity.knows_pid(pid) && !identity.is_loose_pid(pid) ? -1 : pid;
}

bool is_system_process(std::string_view name) {
  return std::find(std::begin(kSystemProcesses), std::end(kSystemProcesses), name) !=
         std::end(kSystemProcesses);
}

bool is_system_cgroup(std::string_view cgroup) {
  static constexpr std::string_view kJobs[] = {"slurm", "docker", "kubepods", "containerd", "crio",
                                               "pbs",   "lsf",    "htcondor", "machine"};
  return cgroup.starts_with("/system.slice/") &&
         std::none_of(std::begin(kJobs), std::end(kJobs), [&](std::string_view word) {
           return cgroup.find(word) != std::string_view::npos;
         });
}

}  // namespace firstfault
