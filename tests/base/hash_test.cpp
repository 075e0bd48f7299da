#include "base/hash.h"

#include <gtest/gtest.h>

namespace firstfault {
namespace {

// These values are stored in digest files and histories: they may never change.
TEST(Hash, ValuesAreTheSameForEver) {
  EXPECT_EQ(hash_bytes(""), 0x2d06800538d394c2ULL);
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_combine(0, 0), 0xe220a8397b1dcdafULL);  // first output of splitmix64
}

TEST(Hash, OrderMatters) {
  EXPECT_NE(hash_combine(hash_combine(0, 1), 2), hash_combine(hash_combine(0, 2), 1));
}

}  // namespace
}  // namespace firstfault
