#include "client/embedded/version_skew.h"

#include "gtest/gtest.h"

namespace acceld::client {
namespace {

TEST(VersionSkewTest, TheLastNumberMayDiffer) {
  EXPECT_EQ(CompareVersions("0.1.0", "0.1.0").skew, Skew::kNone);
  EXPECT_EQ(CompareVersions("0.1.0", "0.1.3").skew, Skew::kPatch);
  EXPECT_EQ(CompareVersions("0.1.0", "0.2.0").skew, Skew::kOther);
  EXPECT_EQ(CompareVersions("1.1.0", "0.1.0").skew, Skew::kOther);
}

TEST(VersionSkewTest, NumbersAreComparedAsNumbers) {
  EXPECT_TRUE(CompareVersions("0.10.0", "0.9.9").daemon_is_older);
  EXPECT_FALSE(CompareVersions("0.9.9", "0.10.0").daemon_is_older);
  EXPECT_FALSE(CompareVersions("0.1.0", "0.1.0").daemon_is_older);
}

TEST(VersionSkewTest, WhatIsNoVersionGoesWithItselfAlone) {
  for (const char* text : {"", "test", "0.1", "0.1.x", "0.1.0.0", "0.1.+1", "0.1.99999999999"}) {
    EXPECT_EQ(CompareVersions("0.1.0", text).skew, Skew::kOther) << text;
    EXPECT_TRUE(CompareVersions("0.1.0", text).daemon_is_older) << text;
    EXPECT_EQ(CompareVersions(text, text).skew, Skew::kNone) << text;
  }
}

}  // namespace
}  // namespace acceld::client
