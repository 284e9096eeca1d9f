#include "client/tools/accelctl/views/types_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/cli/text.h"
#include "common/utf8.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::StartsWith;

std::vector<std::string> Types(size_t count) {
  std::vector<std::string> types;
  for (size_t i = 0; i < count; ++i) types.push_back(absl::StrCat("tensor<", i, "xf32>"));
  return types;
}

TEST(TypesTextTest, SignaturesAreSplit) {
  const Signature two = ParseSignature("(tensor<2xf32>, tensor<complex<f32>>) -> tensor<f32>");
  EXPECT_THAT(two.arguments, ElementsAre("tensor<2xf32>", "tensor<complex<f32>>"));
  EXPECT_THAT(two.results, ElementsAre("tensor<f32>"));
  const Signature many = ParseSignature("() -> (tensor<f32>, tensor<i1>)");
  EXPECT_THAT(many.arguments, ElementsAre());
  EXPECT_THAT(many.results, ElementsAre("tensor<f32>", "tensor<i1>"));
  EXPECT_THAT(ParseSignature("(tensor<f32>)").arguments, ElementsAre("tensor<f32>"));
  EXPECT_THAT(ParseSignature("of a \x1b kind").arguments, ElementsAre("of a \\x1b kind"));
}

TEST(TypesTextTest, AsManyTypesAreShownAsFit) {
  EXPECT_EQ(TypesText(Types(0), "argument", 80), "no arguments");
  EXPECT_EQ(TypesText(Types(1), "argument", 80), "1 argument: tensor<0xf32>");
  EXPECT_EQ(TypesText(Types(120), "argument", 60),
            "120 arguments: tensor<0xf32>, tensor<1xf32>, +118 more");
  EXPECT_EQ(TypesText(Types(120), "argument", 20), "120 arguments");
  EXPECT_EQ(TypesText(Types(120), "argument", cli::kUnlimitedColumns),
            absl::StrCat("120 arguments: ", absl::StrJoin(Types(120), ", ")));
  for (size_t columns = 40; columns < 200; ++columns) {
    EXPECT_LE(Utf8Length(TypesText(Types(120), "argument", columns)), columns);
  }
}

TEST(TypesTextTest, ResultsStandBehindArguments) {
  EXPECT_EQ(SignatureText("(tensor<2xf32>) -> tensor<f32>", 80),
            "1 argument: tensor<2xf32>; 1 result: tensor<f32>");
  const std::string many = absl::StrCat("(", absl::StrJoin(Types(120), ", "), ") -> (",
                                        absl::StrJoin(Types(30), ", "), ")");
  const std::string text = SignatureText(many, 76);
  EXPECT_THAT(text, StartsWith("120 arguments: tensor<0xf32>, "));
  EXPECT_THAT(text, EndsWith("; 30 results"));
  EXPECT_LE(Utf8Length(text), 76u);
}

TEST(TypesTextTest, OfManyTypesThoseThatDifferAreShown) {
  std::vector<std::string> types = Types(120), others = Types(120);
  types[17] = "tensor<8xf32>";
  types[20] = "tensor<f32>";
  EXPECT_EQ(DifferingTypesText(types, others, 60),
            "120 arguments, 2 differ: 17: tensor<8xf32>, 20: tensor<f32>");
  EXPECT_EQ(DifferingTypesText(others, types, 60),
            "120 arguments, 2 differ: 17: tensor<17xf32>, +1 more");
  EXPECT_EQ(DifferingTypesText(types, Types(3), 40), "120 arguments: tensor<0xf32>, +119 more");
  EXPECT_EQ(DifferingTypesText({"tensor<f32>"}, {"tensor<i1>"}, 40), "1 argument: tensor<f32>");
}

}  // namespace
}  // namespace acceld::tools
