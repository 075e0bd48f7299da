#include "timeline/host_table.h"

#include <gtest/gtest.h>

namespace firstfault::test {
namespace {

TEST(HostTable, address_is_found_inside_every_form_that_peers_are_printed_in) {
  EXPECT_EQ(bare_address("10.77.0.3<51672>"), "10.77.0.3");
  EXPECT_EQ(bare_address("eth0:10.0.0.5<0>"), "10.0.0.5");
  EXPECT_EQ(bare_address("[10.0.0.2]:40123"), "10.0.0.2");
  EXPECT_EQ(bare_address("10.0.0.2:40123"), "10.0.0.2");
  EXPECT_EQ(bare_address("fe80::1%eth0<123>"), "fe80::1");
  EXPECT_EQ(bare_address("node-b.cluster<41877>"), "node-b.cluster");
  EXPECT_EQ(bare_address("["), "");
  EXPECT_EQ(bare_address(""), "");
}

TEST(HostTable, loopback_and_localhost_are_nobodys_name) {
  HostTable table;
  table.add_host("a");
  table.add_address("a", "lo:127.0.0.1<0>");
  table.add_host("localhost");
  EXPECT_EQ(table.host_of("127.0.0.1<5>"), "");
  EXPECT_EQ(table.host_of("localhost<46792>"), "");
  EXPECT_EQ(table.canonical("localhost.localdomain"), "");
  EXPECT_EQ(table.hosts().size(), 1u);
}

TEST(HostTable, address_that_two_hosts_claim_belongs_to_neither) {
  HostTable table;
  table.add_host("a");
  table.add_host("b");
  table.add_address("a", "docker0:172.17.0.1<0>");
  table.add_address("b", "docker0:172.17.0.1<0>");
  EXPECT_EQ(table.host_of("172.17.0.1<9>"), "");
}

TEST(HostTable, long_and_short_names_are_one_host_but_addresses_are_not_cut) {
  HostTable table;
  table.add_host("node-b.cluster.example");
  EXPECT_EQ(table.canonical("node-b"), table.canonical("node-b.cluster.example"));
  EXPECT_EQ(table.canonical("10.1.2.3"), "10.1.2.3");
  ASSERT_EQ(table.hosts().size(), 1u);
  EXPECT_EQ(table.hosts()[0].aliases, (std::vector<std::string>{"node-b.cluster.example"}));
}

}  // namespace
}  // namespace firstfault::test
