#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Literal Convert(const Literal& operand, DType to) {
  return RunOp(OpKind::kConvert, {operand}, NoAttributes{}, {TensorType{to, operand.type().dims}});
}

std::vector<int64_t> BinaryInts(OpKind kind, DType dtype, const std::vector<int64_t>& lhs,
                                const std::vector<int64_t>& rhs) {
  const Dims dims = {static_cast<int64_t>(lhs.size())};
  return IntsOf(RunOp(kind, {Ints(dtype, dims, lhs), Ints(dtype, dims, rhs)}));
}

std::vector<double> BinaryFloats(OpKind kind, const std::vector<double>& lhs,
                                 const std::vector<double>& rhs) {
  const Dims dims = {static_cast<int64_t>(lhs.size())};
  return FloatsOf(RunOp(kind, {Floats(DType::kF32, dims, lhs), Floats(DType::kF32, dims, rhs)}));
}

std::vector<int64_t> Compare(const Literal& lhs, const Literal& rhs, ComparisonDirection direction,
                             ComparisonType type) {
  return IntsOf(RunOp(OpKind::kCompare, {lhs, rhs},
                      CompareAttributes{.comparison_direction = direction, .compare_type = type}));
}

TEST(InterpreterConvert, FloatToIntegerSaturatesAndNanGivesZero) {
  const Literal floats = Floats(DType::kF32, {5}, {kNan, 1e10, -1e10, -1.9, 200.5});
  EXPECT_THAT(IntsOf(Convert(floats, DType::kI8)), ElementsAre(0, 127, -128, -1, 127));
  EXPECT_THAT(IntsOf(Convert(floats, DType::kUI8)), ElementsAre(0, 255, 0, 0, 200));
  EXPECT_THAT(
      IntsOf(Convert(Floats(DType::kF64, {2}, {1e300, -1e300}), DType::kI64)),
      ElementsAre(std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()));
  EXPECT_THAT(IntsOf(Convert(Floats(DType::kF64, {2}, {1e300, -1}), DType::kUI64)),
              ElementsAre(-1, 0));
}

TEST(InterpreterConvert, NanToBoolIsTrue) {
  EXPECT_THAT(IntsOf(Convert(Floats(DType::kF32, {3}, {kNan, -0.0, 0.5}), DType::kI1)),
              ElementsAre(1, 0, 1));
}

TEST(InterpreterConvert, LargeIntegerToHalfIsInfinite) {
  EXPECT_THAT(FloatsOf(Convert(Ints(DType::kI64, {2}, {1 << 20, -70000}), DType::kF16)),
              ElementsAre(kInf, -kInf));
}

TEST(InterpreterConvert, WideIntegersRoundOnce) {
  // 2^60 + 2^36 + 1 is just over halfway between two f32; rounding to double first would hide it.
  const int64_t value = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  EXPECT_THAT(FloatsOf(Convert(Ints(DType::kI64, {1}, {value}), DType::kF32)),
              ElementsAre(std::ldexp(1.0, 60) + std::ldexp(1.0, 37)));
}

TEST(InterpreterConvert, IntegersWrapToTheWidth) {
  EXPECT_THAT(IntsOf(Convert(Ints(DType::kI32, {3}, {300, -1, 128}), DType::kI8)),
              ElementsAre(44, -1, -128));
  EXPECT_THAT(IntsOf(Convert(Ints(DType::kI8, {1}, {-1}), DType::kUI32)), ElementsAre(0xFFFFFFFF));
}

TEST(InterpreterConvert, ComplexToRealDropsTheImaginaryPart) {
  EXPECT_THAT(FloatsOf(Convert(Complexes(DType::kC64, {1}, {{1.5, 7}}), DType::kF32)),
              ElementsAre(1.5));
}

TEST(InterpreterInteger, ArithmeticWraps) {
  EXPECT_THAT(BinaryInts(OpKind::kAdd, DType::kI8, {127, -128}, {1, -1}), ElementsAre(-128, 127));
  EXPECT_THAT(BinaryInts(OpKind::kMultiply, DType::kUI8, {16, 255}, {16, 255}), ElementsAre(0, 1));
  EXPECT_THAT(BinaryInts(OpKind::kSubtract, DType::kUI4, {0}, {1}), ElementsAre(15));
  EXPECT_THAT(IntsOf(RunOp(OpKind::kAbs, {Ints(DType::kI8, {2}, {-128, -3})})),
              ElementsAre(-128, 3));
}

TEST(InterpreterInteger, DivisionByZeroIsAllOnesAndItsRemainderTheDividend) {
  EXPECT_THAT(BinaryInts(OpKind::kDivide, DType::kI32, {7, -7}, {0, 0}), ElementsAre(-1, -1));
  EXPECT_THAT(BinaryInts(OpKind::kDivide, DType::kUI8, {7}, {0}), ElementsAre(255));
  EXPECT_THAT(BinaryInts(OpKind::kRemainder, DType::kI32, {7, -7}, {0, 0}), ElementsAre(7, -7));
}

TEST(InterpreterInteger, SmallestByMinusOneDoesNotTrap) {
  const int64_t smallest = std::numeric_limits<int64_t>::min();
  EXPECT_THAT(BinaryInts(OpKind::kDivide, DType::kI64, {smallest}, {-1}), ElementsAre(smallest));
  EXPECT_THAT(BinaryInts(OpKind::kRemainder, DType::kI64, {smallest}, {-1}), ElementsAre(0));
  EXPECT_THAT(BinaryInts(OpKind::kDivide, DType::kI8, {-128}, {-1}), ElementsAre(-128));
}

TEST(InterpreterInteger, RemainderHasTheSignOfTheDividend) {
  EXPECT_THAT(BinaryInts(OpKind::kRemainder, DType::kI32, {7, -7, 7}, {3, 3, -3}),
              ElementsAre(1, -1, 1));
}

TEST(InterpreterInteger, PowerWithNegativeExponentIsZeroButForOnes) {
  EXPECT_THAT(BinaryInts(OpKind::kPower, DType::kI32, {2, 0, 1, -1, -1}, {-1, -1, -5, -3, -4}),
              ElementsAre(0, 0, 1, -1, 1));
  EXPECT_THAT(BinaryInts(OpKind::kPower, DType::kI8, {3, 0, 2}, {4, 0, 7}),
              ElementsAre(81, 1, -128));
}

TEST(InterpreterInteger, ShiftsAtOrPastTheWidthLeaveNothing) {
  EXPECT_THAT(BinaryInts(OpKind::kShiftLeft, DType::kI8, {1, 1, 1}, {7, 8, -1}),
              ElementsAre(-128, 0, 0));
  EXPECT_THAT(BinaryInts(OpKind::kShiftRightLogical, DType::kI8, {-1, -1, -1}, {1, 8, -1}),
              ElementsAre(127, 0, 0));
  EXPECT_THAT(BinaryInts(OpKind::kShiftRightArithmetic, DType::kI8, {-128, -128, 64}, {1, 100, 8}),
              ElementsAre(-64, -1, 0));
}

TEST(InterpreterInteger, UnsignedValuesOrderAsUnsigned) {
  EXPECT_THAT(BinaryInts(OpKind::kMaximum, DType::kUI64, {-1, 1}, {5, 2}), ElementsAre(-1, 2));
  EXPECT_THAT(Compare(Ints(DType::kUI64, {1}, {-1}), Ints(DType::kUI64, {1}, {1}),
                      ComparisonDirection::kGt, ComparisonType::kUnsigned),
              ElementsAre(1));
}

TEST(InterpreterInteger, CountsBitsWithinTheWidth) {
  EXPECT_THAT(IntsOf(RunOp(OpKind::kCountLeadingZeros, {Ints(DType::kI8, {3}, {0, 1, -1})})),
              ElementsAre(8, 7, 0));
  EXPECT_THAT(IntsOf(RunOp(OpKind::kPopcnt, {Ints(DType::kI16, {2}, {-1, 5})})),
              ElementsAre(16, 2));
}

TEST(InterpreterBool, AdditionIsOrAndMultiplicationIsAnd) {
  EXPECT_THAT(BinaryInts(OpKind::kAdd, DType::kI1, {0, 1, 1}, {0, 0, 1}), ElementsAre(0, 1, 1));
  EXPECT_THAT(BinaryInts(OpKind::kMultiply, DType::kI1, {0, 1, 1}, {1, 0, 1}),
              ElementsAre(0, 0, 1));
  EXPECT_THAT(IntsOf(RunOp(OpKind::kNot, {Ints(DType::kI1, {2}, {0, 1})})), ElementsAre(1, 0));
}

TEST(InterpreterFloat, NanWinsInMinAndMaxAndMinusZeroIsLess) {
  EXPECT_THAT(BinaryFloats(OpKind::kMaximum, {kNan, 1, 3}, {1, kNan, 4}),
              ElementsAre(IsNan(), IsNan(), 4));
  EXPECT_THAT(BinaryFloats(OpKind::kMinimum, {kNan, 1, 3}, {1, kNan, 4}),
              ElementsAre(IsNan(), IsNan(), 3));
  for (const auto& [lhs, rhs] : {std::pair(-0.0, 0.0), std::pair(0.0, -0.0)}) {
    EXPECT_FALSE(std::signbit(BinaryFloats(OpKind::kMaximum, {lhs}, {rhs})[0]));
    EXPECT_TRUE(std::signbit(BinaryFloats(OpKind::kMinimum, {lhs}, {rhs})[0]));
  }
}

TEST(InterpreterFloat, ClampWithSwappedBoundsGivesTheUpperOne) {
  const Literal low = Floats(DType::kF32, {}, {3});
  const Literal high = Floats(DType::kF32, {}, {1});
  const Literal x = Floats(DType::kF32, {4}, {0, 2, 5, kNan});
  EXPECT_THAT(FloatsOf(RunOp(OpKind::kClamp, {low, x, high})), ElementsAre(1, 1, 1, IsNan()));
}

TEST(InterpreterFloat, ComparisonWithNanHoldsOnlyForNotEqual) {
  const Literal nan = Floats(DType::kF32, {1}, {kNan});
  for (const auto direction :
       {ComparisonDirection::kEq, ComparisonDirection::kNe, ComparisonDirection::kGe,
        ComparisonDirection::kGt, ComparisonDirection::kLe, ComparisonDirection::kLt}) {
    EXPECT_THAT(Compare(nan, nan, direction, ComparisonType::kFloat),
                ElementsAre(direction == ComparisonDirection::kNe ? 1 : 0));
  }
}

TEST(InterpreterFloat, TotalOrderOrdersNansAndZeros) {
  const std::vector<double> ascending = {-kNan, -kInf, -1, -0.0, 0.0, 1, kInf, kNan};
  for (const DType dtype : {DType::kBF16, DType::kF16, DType::kF32, DType::kF64}) {
    const Literal lhs = Floats(dtype, {7}, {ascending.begin(), ascending.end() - 1});
    const Literal rhs = Floats(dtype, {7}, {ascending.begin() + 1, ascending.end()});
    EXPECT_THAT(Compare(lhs, rhs, ComparisonDirection::kLt, ComparisonType::kTotalOrder),
                ElementsAre(1, 1, 1, 1, 1, 1, 1));
    EXPECT_THAT(Compare(rhs, lhs, ComparisonDirection::kGe, ComparisonType::kTotalOrder),
                ElementsAre(1, 1, 1, 1, 1, 1, 1));
  }
}

TEST(InterpreterFloat, TheNanWithASignBitIsTheLowestInTotalOrder) {
  for (const DType dtype : {DType::kF8E4M3FNUZ, DType::kF8E5M2FNUZ, DType::kF8E4M3B11FNUZ}) {
    const Literal lhs = Floats(dtype, {3}, {kNan, kNan, 0});
    const Literal rhs = Floats(dtype, {3}, {-1, 1, kNan});
    EXPECT_THAT(Compare(lhs, rhs, ComparisonDirection::kLt, ComparisonType::kTotalOrder),
                ElementsAre(1, 1, 0));
  }
}

TEST(InterpreterFloat, RoundingModesDifferAtTies) {
  const Literal ties = Floats(DType::kF32, {4}, {0.5, 1.5, -0.5, -2.5});
  EXPECT_THAT(FloatsOf(RunOp(OpKind::kRoundNearestAfz, {ties})), ElementsAre(1, 2, -1, -3));
  EXPECT_THAT(FloatsOf(RunOp(OpKind::kRoundNearestEven, {ties})), ElementsAre(0, 2, 0, -2));
}

TEST(InterpreterFloat, SignKeepsZerosAndNan) {
  const auto signs =
      FloatsOf(RunOp(OpKind::kSign, {Floats(DType::kF32, {4}, {-0.0, kNan, -kInf, 3})}));
  EXPECT_THAT(signs, ElementsAre(0, IsNan(), -1, 1));
  EXPECT_TRUE(std::signbit(signs[0]));
}

std::vector<double> ReducePrecision(const std::vector<double>& values, int64_t exponent_bits,
                                    int64_t mantissa_bits, DType dtype = DType::kF32) {
  return FloatsOf(RunOp(
      OpKind::kReducePrecision, {Floats(dtype, {static_cast<int64_t>(values.size())}, values)},
      ReducePrecisionAttributes{.exponent_bits = exponent_bits, .mantissa_bits = mantissa_bits}));
}

TEST(InterpreterFloat, ReducePrecisionRoundsToEvenAndOverflows) {
  EXPECT_THAT(ReducePrecision({1 + std::ldexp(1.0, -11), 1 + 3 * std::ldexp(1.0, -11)}, 5, 10),
              ElementsAre(1, 1 + std::ldexp(1.0, -9)));
  EXPECT_THAT(ReducePrecision({65504, 65536, -1e-6}, 5, 10), ElementsAre(65504, kInf, -0.0));
}

TEST(InterpreterFloat, ReducePrecisionWithoutMantissaKeepsNan) {
  EXPECT_THAT(ReducePrecision({kNan, kInf, 1.5, 2.5}, 8, 0), ElementsAre(IsNan(), kInf, 2, 2));
}

// Expected values: what JAX computes on the CPU.
TEST(InterpreterFloat, ReducePrecisionOfEightBitsGoesByValuesNotByEncodings) {
  // A bias of 8, not 7; 4 = 2^2 is past the exponents of two bits, and there is no infinity.
  EXPECT_THAT(ReducePrecision({-3.75, 4, 0.875, -240}, 2, 5, DType::kF8E4M3FNUZ),
              ElementsAre(-3.75, IsNan(), 0, IsNan()));
  // Rounded up past the largest value.
  EXPECT_THAT(ReducePrecision({448, -448}, 5, 0, DType::kF8E4M3FN), ElementsAre(IsNan(), IsNan()));
  // A subnormal number of two significant bits keeps them.
  EXPECT_THAT(ReducePrecision({std::ldexp(3.0, -9)}, 5, 1, DType::kF8E4M3FN),
              ElementsAre(std::ldexp(3.0, -9)));
  // As many exponent bits as there are: nothing under- or overflows.
  EXPECT_THAT(ReducePrecision({std::ldexp(1.0, -15)}, 5, 2, DType::kF8E5M2FNUZ),
              ElementsAre(std::ldexp(1.0, -15)));
}

TEST(InterpreterFloat, NarrowTypesRoundOnce) {
  // In f16 1 + 2^-11 is a tie; computed in double, the sum is rounded to even.
  const Literal one = Floats(DType::kF16, {2}, {1, 2048});
  const Literal half = Floats(DType::kF16, {2}, {std::ldexp(1.0, -11), 1});
  EXPECT_THAT(FloatsOf(RunOp(OpKind::kAdd, {one, half})), ElementsAre(1, 2048));
}

std::vector<Complex> UnaryComplex(OpKind kind, const std::vector<Complex>& values) {
  return ComplexesOf(
      RunOp(kind, {Complexes(DType::kC128, {static_cast<int64_t>(values.size())}, values)}));
}

TEST(InterpreterComplex, MinAndMaxAreLexicographic) {
  const Literal a = Complexes(DType::kC64, {2}, {{1, 5}, {2, 0}});
  const Literal b = Complexes(DType::kC64, {2}, {{1, 7}, {1, 9}});
  EXPECT_THAT(ComplexesOf(RunOp(OpKind::kMaximum, {a, b})),
              ElementsAre(Complex(1, 7), Complex(2, 0)));
  EXPECT_THAT(ComplexesOf(RunOp(OpKind::kMinimum, {a, b})),
              ElementsAre(Complex(1, 5), Complex(1, 9)));
}

TEST(InterpreterComplex, FunctionsNearZeroDoNotCancel) {
  const Complex tiny(1e-20, -2e-20);
  EXPECT_EQ(UnaryComplex(OpKind::kExponentialMinusOne, {tiny})[0], tiny);
  EXPECT_EQ(UnaryComplex(OpKind::kLogPlusOne, {tiny})[0], tiny);
  EXPECT_EQ(UnaryComplex(OpKind::kTanh, {tiny})[0], tiny);
}

TEST(InterpreterComplex, LargeArgumentsSaturate) {
  EXPECT_EQ(UnaryComplex(OpKind::kTanh, {{1000, 1}})[0].real(), 1);
  EXPECT_EQ(UnaryComplex(OpKind::kTan, {{1, 1000}})[0].imag(), 1);
  EXPECT_EQ(UnaryComplex(OpKind::kLogistic, {{1000, 1}})[0], Complex(1, 0));
}

TEST(InterpreterComplex, SignIsZeroOfZeroAndOfLengthOneElsewhere) {
  EXPECT_THAT(UnaryComplex(OpKind::kSign, {{0, 0}, {3, 4}}),
              ElementsAre(Complex(0, 0), Complex(0.6, 0.8)));
}

TEST(InterpreterComplex, ZeroToAPowerIsZeroOrOne) {
  const Literal base = Complexes(DType::kC128, {2}, {{0, 0}, {0, 0}});
  const Literal exponent = Complexes(DType::kC128, {2}, {{0, 0}, {2, 0}});
  EXPECT_THAT(ComplexesOf(RunOp(OpKind::kPower, {base, exponent})),
              ElementsAre(Complex(1, 0), Complex(0, 0)));
}

// As JAX has them on the CPU.
TEST(InterpreterComplex, PowersAtTheEdges) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto power = [](Complex x, Complex y) {
    return ComplexesOf(RunOp(
        OpKind::kPower, {Complexes(DType::kC128, {1}, {x}), Complexes(DType::kC128, {1}, {y})}))[0];
  };
  for (const Complex y : {Complex(kInfinity, 0), Complex(-kInfinity, 2), Complex(NAN, NAN)}) {
    EXPECT_EQ(power({1, 0}, y), Complex(1, 0));
    EXPECT_EQ(power(y, {0, 0}), Complex(1, 0));
  }
  EXPECT_EQ(power({kInfinity, 0}, {2, 0}), Complex(kInfinity, 0));
  EXPECT_EQ(power({kInfinity, 0}, {-0.5, 0}), Complex(0, 0));
  EXPECT_TRUE(std::isnan(power({0, 0}, {2, 1}).real()));
  EXPECT_TRUE(std::isnan(power({0, 0}, {-1, 0}).imag()));
}

TEST(InterpreterElementwise, ScalarPredicateStandsForAllElements) {
  const Literal predicate = Ints(DType::kI1, {}, {0});
  const Literal a = Floats(DType::kF32, {2}, {1, 2});
  const Literal b = Floats(DType::kF32, {2}, {3, 4});
  EXPECT_THAT(FloatsOf(RunOp(OpKind::kSelect, {predicate, a, b})), ElementsAre(3, 4));
}

TEST(InterpreterElementwise, SplatsStaySplats) {
  const Literal sum = RunOp(OpKind::kAdd, {Literal::Filled({DType::kF32, {1000, 1000}}, 1),
                                           Literal::Filled({DType::kF32, {1000, 1000}}, 2)});
  EXPECT_EQ(sum.bytes().size(), 4);
  EXPECT_EQ(sum, Literal::Filled({DType::kF32, {1000, 1000}}, 3));
}

}  // namespace
}  // namespace acceld::ir
