#include "common/ir/conformance/checks.h"

#include <cmath>
#include <limits>

#include "common/ir/conformance/check_overrides.h"
#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool Passes(absl::string_view target, const Literal& actual, const Literal& expected) {
  return Compare(RuleOfCheck(target).value(), actual, expected).passed;
}

Literal One(DType dtype, double value) { return Floats(dtype, {1}, {value}); }

// `steps` representable values above 1 in f32.
double AboveOne(int steps) { return 1 + std::ldexp(steps, -23); }

TEST(ExpectEq, ComparesAsNumbers) {
  EXPECT_TRUE(Passes("check.expect_eq", One(DType::kF32, -0.0), One(DType::kF32, 0.0)));
  EXPECT_FALSE(Passes("check.expect_eq", One(DType::kF32, kNan), One(DType::kF32, kNan)));
  EXPECT_TRUE(Passes("check.expect_eq", One(DType::kF32, kInf), One(DType::kF32, kInf)));
  EXPECT_FALSE(Passes("check.expect_eq", Ints(DType::kI64, {1}, {(int64_t{1} << 60) + 1}),
                      Ints(DType::kI64, {1}, {int64_t{1} << 60})));
}

TEST(ExpectEq, ComplexNeedsBothParts) {
  EXPECT_FALSE(Passes("check.expect_eq", Complexes(DType::kC64, {1}, {{1, 2}}),
                      Complexes(DType::kC64, {1}, {{1, 3}})));
}

TEST(ExpectClose, AllowsThreeUlpOfTheElementType) {
  EXPECT_TRUE(Passes("check.expect_close", One(DType::kF32, AboveOne(3)), One(DType::kF32, 1)));
  EXPECT_FALSE(Passes("check.expect_close", One(DType::kF32, AboveOne(4)), One(DType::kF32, 1)));
  EXPECT_TRUE(Passes("check.expect_close", One(DType::kBF16, 1 + 3 / 128.0), One(DType::kBF16, 1)));
  EXPECT_FALSE(
      Passes("check.expect_close", One(DType::kBF16, 1 + 4 / 128.0), One(DType::kBF16, 1)));
}

TEST(ExpectClose, CountsThroughZero) {
  const double tiny = std::ldexp(1.0, -149);
  EXPECT_TRUE(Passes("check.expect_close", One(DType::kF32, tiny), One(DType::kF32, -2 * tiny)));
  EXPECT_FALSE(
      Passes("check.expect_close", One(DType::kF32, 2 * tiny), One(DType::kF32, -2 * tiny)));
}

TEST(ExpectClose, NanEqualsNanAndInfinityOnlyItself) {
  EXPECT_TRUE(Passes("check.expect_close", One(DType::kF32, -kNan), One(DType::kF32, kNan)));
  EXPECT_FALSE(Passes("check.expect_close", One(DType::kF32, kNan), One(DType::kF32, 1)));
  EXPECT_TRUE(Passes("check.expect_close", One(DType::kF32, kInf), One(DType::kF32, kInf)));
  EXPECT_FALSE(Passes("check.expect_close", One(DType::kF32, std::numeric_limits<float>::max()),
                      One(DType::kF32, kInf)));
  EXPECT_FALSE(Passes("check.expect_close", One(DType::kF32, -kInf), One(DType::kF32, kInf)));
}

TEST(ExpectAlmostEq, AbsoluteDistanceAloneDecides) {
  EXPECT_TRUE(Passes("check.expect_almost_eq", One(DType::kF64, 1e-9), One(DType::kF64, -1e-9)));
  EXPECT_TRUE(Passes("check.expect_almost_eq", One(DType::kF64, 0.0009), One(DType::kF64, 0)));
  EXPECT_FALSE(Passes("check.expect_almost_eq", One(DType::kF64, 0.0011), One(DType::kF64, 0)));
  EXPECT_TRUE(Passes("check.expect_almost_eq", One(DType::kF64, kNan), One(DType::kF64, kNan)));
  EXPECT_FALSE(Passes("check.expect_almost_eq", One(DType::kF64, kInf), One(DType::kF64, 1e300)));
}

TEST(Compare, OtherTypesDoNotPass) {
  EXPECT_THAT(Compare({}, One(DType::kF32, 1), One(DType::kF64, 1)).message,
              HasSubstr("tensor<1xf32>, expected tensor<1xf64>"));
  EXPECT_FALSE(
      Passes("check.expect_eq", Ints(DType::kI32, {2}, {1, 1}), Ints(DType::kI32, {2, 1}, {1, 1})));
}

TEST(Compare, NamesTheFirstMismatchAndTheLargestDistance) {
  const Comparison comparison =
      Compare({.tolerance = Tolerance::kAbsolute, .bound = 0.5},
              Floats(DType::kF32, {2, 2}, {1, 2, 4, 9}), Floats(DType::kF32, {2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(comparison.max_distance, 5);
  EXPECT_THAT(comparison.message, HasSubstr("2 of 4 elements"));
  EXPECT_THAT(comparison.message, HasSubstr("first at [1, 0]: got 4, expected 3 (1 absolute)"));
  EXPECT_THAT(comparison.message, HasSubstr("largest distance: 5"));
}

TEST(Compare, RelativeRulesScaleByTheValueOrTheLargest) {
  const Literal actual = Floats(DType::kF64, {2}, {1000, 1.01});
  const Literal expected = Floats(DType::kF64, {2}, {1000, 1});
  EXPECT_FALSE(
      Compare({.tolerance = Tolerance::kRelative, .bound = 1e-3}, actual, expected).passed);
  EXPECT_TRUE(
      Compare({.tolerance = Tolerance::kRelativeToMax, .bound = 1e-3}, actual, expected).passed);
}

TEST(Compare, EmptyTensorsPass) {
  EXPECT_TRUE(
      Passes("check.expect_eq", Floats(DType::kF32, {0, 3}, {}), Floats(DType::kF32, {0, 3}, {})));
}

TEST(RuleOfCheck, OtherTargetsHaveNone) { EXPECT_FALSE(RuleOfCheck("Sharding").has_value()); }

TEST(CheckOverrides, ReadsRulesAndReasons) {
  const auto overrides = CheckOverrides::Parse(
      "# comment\n\nfft.mlir rel=1e-6max differs by 3e-8\nsort.mlir nan_equal  NaN in expected\n"
      "a.mlir ulp=40,nan_equal  reason\nb.mlir skip  never ends\n",
      "overrides.txt");
  ASSERT_TRUE(overrides.ok()) << overrides.status();
  EXPECT_EQ(overrides->size(), 4);
  EXPECT_EQ(overrides->Find("other.mlir"), nullptr);
  const CheckRule exact;
  const CheckRule fft{.tolerance = Tolerance::kRelativeToMax, .bound = 1e-6};
  EXPECT_EQ(overrides->Find("fft.mlir")->Apply(exact), fft);
  EXPECT_EQ(overrides->Find("fft.mlir")->reason, "differs by 3e-8");
  EXPECT_EQ(overrides->Find("sort.mlir")->Apply(exact), (CheckRule{.nan_equal = true}));
  EXPECT_TRUE(overrides->Find("b.mlir")->skip);
}

TEST(CheckOverrides, ErrorsNameTheLine) {
  const auto error_of = [](absl::string_view text) {
    return std::string(CheckOverrides::Parse(text, "o.txt").status().message());
  };
  EXPECT_THAT(error_of("# x\na.mlir ulp=3\n"), HasSubstr("o.txt:2: expected a file name, a rule"));
  EXPECT_THAT(error_of("a.mlir ulps=3 why"), HasSubstr("found 'ulps=3'"));
  EXPECT_THAT(error_of("a.mlir ulp=x why"), HasSubstr("number"));
  EXPECT_THAT(error_of("a.mlir abs=nan why"), HasSubstr("number"));
  EXPECT_THAT(error_of("a.mlir ulp=3,abs=1 why"), HasSubstr("more than one tolerance"));
  EXPECT_THAT(error_of("a.mlir skip why\na.mlir skip why"), HasSubstr("o.txt:2: a second entry"));
}

}  // namespace
}  // namespace acceld::ir
