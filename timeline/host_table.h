// Names and addresses of the job's hosts.
//
// A host's name is what NCCL prints in front of its lines (cut at the first dot, as NCCL does).
// Names that many machines answer to ("localhost", 127.0.0.1) are nobody's name.
//
//   table.add_host("gpu-node-2");
//   table.add_address("gpu-node-2", "eth0:10.0.0.2<0>");
//   table.host_of("10.0.0.2<41662>")   // "gpu-node-2"
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/job.h"

namespace firstfault {

// The address or name inside a peer text: "10.0.0.2<51672>", "[fe80::1%eth0]:80", "node-b:80",
// "eth0:10.0.0.5<0>" -> without port and interface.
std::string bare_address(std::string_view text);
// "127.0.0.1", "::1", "localhost", "0.0.0.0": tells nothing about which machine.
bool is_anonymous_host(std::string_view name);
bool looks_like_address(std::string_view name);  // IPv4 or IPv6 digits

class HostTable {
 public:
  void add_host(std::string_view name);
  void add_address(std::string_view host, std::string_view address);

  // The table's name for a printed name: short, aliases followed; "" for anonymous names.
  std::string canonical(std::string_view printed) const;
  // The known host a peer text points at; "" if none or if several hosts have that address.
  std::string host_of(std::string_view peer) const;

  std::vector<Host> hosts() const;  // sorted by name

 private:
  std::set<std::string> names_;
  std::map<std::string, std::set<std::string>> long_names_;  // name -> spellings that were cut
  std::map<std::string, std::set<std::string>> owners_;      // address -> hosts
};

}  // namespace firstfault
