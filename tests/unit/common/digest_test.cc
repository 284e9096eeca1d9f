#include "common/crypto/digest.h"

#include "gtest/gtest.h"

namespace acceld {
namespace {

TEST(DigestTest, DependsOnWhereOnePartEndsAndTheNextBegins) {
  EXPECT_NE(Hasher().Add("ab").Add("c").Finish(), Hasher().Add("a").Add("bc").Finish());
  EXPECT_NE(Hasher().Add("").Finish(), Hasher().Finish());
}

TEST(DigestTest, EqualPartsGiveEqualDigests) {
  EXPECT_EQ(Hasher().Add("a").Add(uint64_t{7}).Finish(),
            Hasher().Add("a").Add(uint64_t{7}).Finish());
  EXPECT_EQ(DigestOf("a"), Hasher().Add("a").Finish());
}

// SHA-256 of eight zero bytes (the length of the empty string), cut to 16 bytes.
TEST(DigestTest, IsTheSameOnEveryMachine) {
  EXPECT_EQ(DigestOf("").ToHex(), "af5570f5a1810b7af78caf4bc70a660f");
}

TEST(DigestTest, HexRoundTrips) {
  const Digest digest = DigestOf("something");
  EXPECT_EQ(Digest::FromHex(digest.ToHex()), digest);
  EXPECT_EQ(Digest::FromBytes(digest.AsBytes()), digest);
}

TEST(DigestTest, OtherSpellingsAreNotDigests) {
  const std::string hex = DigestOf("something").ToHex();
  EXPECT_EQ(Digest::FromHex(hex.substr(1)), absl::nullopt);
  EXPECT_EQ(Digest::FromHex("X" + hex.substr(1)), absl::nullopt);
  EXPECT_EQ(Digest::FromHex("A" + hex.substr(1)), absl::nullopt);
  EXPECT_EQ(Digest::FromBytes("too short"), absl::nullopt);
}

}  // namespace
}  // namespace acceld
