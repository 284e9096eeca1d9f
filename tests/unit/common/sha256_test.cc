#include "common/crypto/sha256.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace acceld {
namespace {

// FIPS 180-2, appendix B.1.
constexpr char kAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256Test, TheStandardsExample) {
  EXPECT_EQ(ToHex(Sha256Of("abc")), kAbc);
  EXPECT_TRUE(EqualInConstantTime(*Sha256FromHex(kAbc), Sha256Of("abc")));
  EXPECT_FALSE(EqualInConstantTime(Sha256Of("abd"), Sha256Of("abc")));
}

TEST(Sha256Test, OnlyWholeHashesAreRead) {
  const absl::string_view digits = kAbc;
  EXPECT_FALSE(Sha256FromHex(digits.substr(1)).has_value());
  EXPECT_FALSE(Sha256FromHex(absl::StrCat(digits, "0")).has_value());
  EXPECT_FALSE(Sha256FromHex(absl::StrCat("x", digits.substr(1))).has_value());
}

}  // namespace
}  // namespace acceld
