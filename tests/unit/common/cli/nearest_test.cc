#include "common/cli/nearest.h"

#include <vector>

#include "gtest/gtest.h"

namespace acceld::cli {
namespace {

const std::vector<std::string>& Names() {
  static const auto* const names =
      new std::vector<std::string>{"address", "arg", "json", "repeat", "timeout", "cpu-devices"};
  return *names;
}

TEST(NearestTest, TypingErrorsAreForgiven) {
  EXPECT_EQ(Nearest("argg", Names()), "arg");
  EXPECT_EQ(Nearest("ar", Names()), "arg");
  EXPECT_EQ(Nearest("agr", Names()), "arg");
  EXPECT_EQ(Nearest("jsno", Names()), "json");
  EXPECT_EQ(Nearest("adress", Names()), "address");
  EXPECT_EQ(Nearest("cpu-divice", Names()), "cpu-devices");
}

TEST(NearestTest, ABeginningIsEnoughWhenOnlyOneHasIt) {
  EXPECT_EQ(Nearest("time", Names()), "timeout");
  EXPECT_EQ(Nearest("j", Names()), "json");
  EXPECT_EQ(Nearest("a", Names()), absl::nullopt);
}

TEST(NearestTest, AnotherWordIsNotAnError) {
  EXPECT_EQ(Nearest("frobnicate", Names()), absl::nullopt);
  EXPECT_EQ(Nearest("x", Names()), absl::nullopt);
  EXPECT_EQ(Nearest("", Names()), absl::nullopt);
  EXPECT_EQ(Nearest("json", {}), absl::nullopt);
  EXPECT_EQ(Nearest(std::string(1'000'000, 'j'), Names()), absl::nullopt);
}

TEST(NearestTest, TheFewestErrorsWinAndThenTheFirst) {
  EXPECT_EQ(Nearest("stat", {"stats", "start"}), "stats");
  EXPECT_EQ(Nearest("sta", {"stb", "stc"}), "stb");
}

}  // namespace
}  // namespace acceld::cli
