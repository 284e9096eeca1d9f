// Every scalar operation and every conversion of the CPU code generator, on edge values, against
// the plain C++ evaluation of scalar operations.

#include <cmath>
#include <limits>

#include "common/ir/float_formats.h"
#include "gtest/gtest.h"
#include "kernels/ir/run_scalar.h"
#include "tests/unit/kernels/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

constexpr DType kIntegers[] = {DType::kI2,  DType::kI4,   DType::kI8,   DType::kI16,
                               DType::kI32, DType::kI64,  DType::kUI2,  DType::kUI4,
                               DType::kUI8, DType::kUI16, DType::kUI32, DType::kUI64};
constexpr DType kFloats[] = {DType::kF8E3M4,     DType::kF8E4M3,        DType::kF8E4M3FN,
                             DType::kF8E4M3FNUZ, DType::kF8E4M3B11FNUZ, DType::kF8E5M2,
                             DType::kF8E5M2FNUZ, DType::kF8E8M0FNU,     DType::kF16,
                             DType::kBF16,       DType::kF32,           DType::kF64};

bool IsWide(DType dtype) { return dtype == DType::kF32 || dtype == DType::kF64; }

uint64_t MaskOf(DType dtype) { return ~uint64_t{0} >> (64 - ir::BitsOf(dtype)); }

// Values as RunScalar takes them: in the low bits.
std::vector<uint64_t> EdgeValues(DType dtype) {
  std::vector<uint64_t> values;
  if (ir::BitsOf(dtype) <= 8) {
    for (uint64_t bits = 0; bits <= MaskOf(dtype); ++bits) values.push_back(bits);
    return values;
  }
  if (!ir::IsFloat(dtype)) {
    const uint64_t top = uint64_t{1} << (ir::BitsOf(dtype) - 1);
    for (uint64_t v : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{7},
                       uint64_t{31}, uint64_t{32}, uint64_t{33}, uint64_t{64}, uint64_t{12345},
                       top - 1, top, top + 1, ~uint64_t{0}, ~uint64_t{0} - 1, ~uint64_t{0} - 6}) {
      values.push_back(v & MaskOf(dtype));
    }
    return values;
  }
  std::vector<double> numbers = {0.0,
                                 0x1p-149,
                                 0x1p-126,
                                 1e-40,
                                 1e-8,
                                 0.1,
                                 0.5,
                                 0.75,
                                 1.0,
                                 1.5,
                                 2.0,
                                 2.5,
                                 3.0,
                                 3.5,
                                 7.25,
                                 100.5,
                                 127.5,
                                 255.5,
                                 300.0,
                                 65504.0,
                                 65520.0,
                                 1e6,
                                 2147483647.0,
                                 2147483648.0,
                                 4294967295.0,
                                 4294967296.0,
                                 9.2233720368547758e18,
                                 1.8446744073709552e19,
                                 1e30,
                                 3.4e38,
                                 1e300,
                                 std::numeric_limits<double>::infinity()};
  const size_t count = numbers.size();
  for (size_t i = 0; i < count; ++i) numbers.push_back(-numbers[i]);
  numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  for (double number : numbers) values.push_back(ir::EncodeFloat(dtype, number));
  return values;
}

std::string Store(DType dtype, const std::vector<uint64_t>& values) {
  const int64_t size = ir::StorageBytesOf(dtype);
  std::string bytes;
  for (uint64_t value : values) {
    if (ir::IsSigned(dtype) && ir::BitsOf(dtype) < 8) {
      const int shift = 64 - ir::BitsOf(dtype);
      value = static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
    }
    bytes.append(reinterpret_cast<const char*>(&value), size);
  }
  return bytes;
}

std::vector<uint64_t> Read(DType dtype, const std::string& bytes) {
  const int64_t size = ir::StorageBytesOf(dtype);
  std::vector<uint64_t> values;
  for (size_t at = 0; at < bytes.size(); at += size) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, size);
    values.push_back(value & MaskOf(dtype));
  }
  return values;
}

bool IsNan(DType dtype, uint64_t bits) {
  return ir::IsFloat(dtype) && std::isnan(ir::DecodeFloat(dtype, bits));
}

// Equal bits, or both NaN, or within `tolerance` of each other relative to the greater.
bool Agree(DType dtype, uint64_t actual, uint64_t expected, double tolerance) {
  if (actual == expected) return true;
  if (!ir::IsFloat(dtype)) return false;
  if (IsNan(dtype, actual) || IsNan(dtype, expected)) {
    return IsNan(dtype, actual) && IsNan(dtype, expected);
  }
  const double a = ir::DecodeFloat(dtype, actual), e = ir::DecodeFloat(dtype, expected);
  if (std::isinf(a) || std::isinf(e) || tolerance == 0) return false;
  return std::abs(a - e) <= tolerance * std::max(std::abs(a), std::abs(e)) + 3e-45;
}

bool IsCompare(ScalarOp op) {
  switch (op) {
    case ScalarOp::kEq:
    case ScalarOp::kNe:
    case ScalarOp::kLt:
    case ScalarOp::kLe:
    case ScalarOp::kGt:
    case ScalarOp::kGe:
    case ScalarOp::kIsFinite:
      return true;
    default:
      return false;
  }
}

// Operations that are exact, or rounded once, in every type.
bool IsExact(ScalarOp op) {
  for (ScalarOp exact : {ScalarOp::kAbs, ScalarOp::kAdd, ScalarOp::kCeil, ScalarOp::kDivide,
                         ScalarOp::kFloor, ScalarOp::kMax, ScalarOp::kMin, ScalarOp::kMultiply,
                         ScalarOp::kNegate, ScalarOp::kRemainder, ScalarOp::kRoundAfz,
                         ScalarOp::kRoundEven, ScalarOp::kSqrt, ScalarOp::kSubtract}) {
    if (op == exact) return true;
  }
  return IsCompare(op);
}

void CheckUnary(ScalarOp op, DType from, DType to, double tolerance) {
  const std::vector<uint64_t> x = EdgeValues(from);
  const Kernel kernel =
      MapKernel("op", from, to, static_cast<int64_t>(x.size()), [&](KernelBuilder& b, Var v) {
        if (op == ScalarOp::kConvert) return b.Convert(to, v);
        if (op == ScalarOp::kBitcast) return b.Bitcast(to, v);
        return b.Apply(op, {v});
      });
  const auto results = RunPlan(PlanOf(kernel), {Store(from, x)});
  ASSERT_TRUE(results.ok()) << results.status();
  const std::vector<uint64_t> y = Read(to, (*results)[0]);
  for (size_t i = 0; i < x.size(); ++i) {
    const uint64_t operands[] = {x[i]};
    const uint64_t expected = RunScalar(op, from, operands, to);
    EXPECT_TRUE(Agree(to, y[i], expected, tolerance))
        << NameOf(op) << " " << ir::DTypeName(from) << " -> " << ir::DTypeName(to) << std::hex
        << " of 0x" << x[i] << ": 0x" << y[i] << ", expected 0x" << expected;
  }
}

void CheckBinary(ScalarOp op, DType dtype, double tolerance) {
  const std::vector<uint64_t> edges = EdgeValues(dtype);
  std::vector<uint64_t> x, y;
  const size_t step = edges.size() > 64 ? 5 : 1;
  for (size_t i = 0; i < edges.size(); i += step) {
    for (size_t j = 0; j < edges.size(); j += step) {
      x.push_back(edges[i]);
      y.push_back(edges[j]);
    }
  }
  const DType to = IsCompare(op) ? DType::kI1 : dtype;
  const Kernel kernel =
      ZipKernel("op", dtype, to, static_cast<int64_t>(x.size()),
                [&](KernelBuilder& b, Var a, Var c) { return b.Apply(op, {a, c}); });
  const auto results = RunPlan(PlanOf(kernel), {Store(dtype, x), Store(dtype, y)});
  ASSERT_TRUE(results.ok()) << results.status();
  const std::vector<uint64_t> z = Read(to, (*results)[0]);
  for (size_t i = 0; i < x.size(); ++i) {
    const uint64_t operands[] = {x[i], y[i]};
    const uint64_t expected = RunScalar(op, dtype, operands, to);
    EXPECT_TRUE(Agree(to, z[i], expected, tolerance))
        << NameOf(op) << " " << ir::DTypeName(dtype) << std::hex << " of 0x" << x[i] << ", 0x"
        << y[i] << ": 0x" << z[i] << ", expected 0x" << expected;
  }
}

class ConversionTest : public testing::TestWithParam<DType> {};

TEST_P(ConversionTest, ToEveryType) {
  const DType from = GetParam();
  const auto Check = [&](DType to) {
    if (from != to) CheckUnary(ScalarOp::kConvert, from, to, 0);
  };
  Check(DType::kI1);
  for (DType to : kIntegers) Check(to);
  for (DType to : kFloats) Check(to);
}

std::string TestNameOf(const testing::TestParamInfo<DType>& info) {
  return std::string(ir::DTypeName(info.param));
}

INSTANTIATE_TEST_SUITE_P(Integers, ConversionTest, testing::ValuesIn(kIntegers), TestNameOf);
INSTANTIATE_TEST_SUITE_P(Floats, ConversionTest, testing::ValuesIn(kFloats), TestNameOf);
INSTANTIATE_TEST_SUITE_P(Bool, ConversionTest, testing::Values(DType::kI1), TestNameOf);

class IntegerOpTest : public testing::TestWithParam<DType> {};

TEST_P(IntegerOpTest, MatchesDefinition) {
  for (ScalarOp op : {ScalarOp::kAbs, ScalarOp::kCountLeadingZeros, ScalarOp::kNegate,
                      ScalarOp::kNot, ScalarOp::kPopcnt}) {
    CheckUnary(op, GetParam(), GetParam(), 0);
  }
  for (ScalarOp op : {ScalarOp::kAdd,
                      ScalarOp::kAnd,
                      ScalarOp::kDivide,
                      ScalarOp::kEq,
                      ScalarOp::kGe,
                      ScalarOp::kGt,
                      ScalarOp::kLe,
                      ScalarOp::kLt,
                      ScalarOp::kMax,
                      ScalarOp::kMin,
                      ScalarOp::kMultiply,
                      ScalarOp::kNe,
                      ScalarOp::kOr,
                      ScalarOp::kPower,
                      ScalarOp::kRemainder,
                      ScalarOp::kShiftLeft,
                      ScalarOp::kShiftRightArithmetic,
                      ScalarOp::kShiftRightLogical,
                      ScalarOp::kSubtract,
                      ScalarOp::kXor}) {
    CheckBinary(op, GetParam(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, IntegerOpTest, testing::ValuesIn(kIntegers), TestNameOf);

class FloatOpTest : public testing::TestWithParam<DType> {};

TEST_P(FloatOpTest, MatchesDefinition) {
  const DType dtype = GetParam();
  ASSERT_TRUE(IsWide(dtype));
  // Library functions are within 4 ULP of the correctly rounded value.
  const double tolerance = 4 * (dtype == DType::kF32 ? 0x1p-23 : 0x1p-52);
  for (ScalarOp op :
       {ScalarOp::kAbs,    ScalarOp::kAcos,     ScalarOp::kAcosh,     ScalarOp::kAsin,
        ScalarOp::kAsinh,  ScalarOp::kAtan,     ScalarOp::kAtanh,     ScalarOp::kCbrt,
        ScalarOp::kCeil,   ScalarOp::kCos,      ScalarOp::kCosh,      ScalarOp::kErf,
        ScalarOp::kErfc,   ScalarOp::kExp,      ScalarOp::kExpm1,     ScalarOp::kFloor,
        ScalarOp::kLgamma, ScalarOp::kLog,      ScalarOp::kLog1p,     ScalarOp::kLogistic,
        ScalarOp::kNegate, ScalarOp::kRoundAfz, ScalarOp::kRoundEven, ScalarOp::kRsqrt,
        ScalarOp::kSin,    ScalarOp::kSinh,     ScalarOp::kSqrt,      ScalarOp::kTan,
        ScalarOp::kTanh}) {
    CheckUnary(op, dtype, dtype, IsExact(op) ? 0 : tolerance);
  }
  CheckUnary(ScalarOp::kIsFinite, dtype, DType::kI1, 0);
  for (ScalarOp op : {ScalarOp::kAdd, ScalarOp::kAtan2, ScalarOp::kDivide, ScalarOp::kEq,
                      ScalarOp::kGe, ScalarOp::kGt, ScalarOp::kLe, ScalarOp::kLt, ScalarOp::kMax,
                      ScalarOp::kMin, ScalarOp::kMultiply, ScalarOp::kNe, ScalarOp::kPower,
                      ScalarOp::kRemainder, ScalarOp::kSubtract}) {
    CheckBinary(op, dtype, IsExact(op) ? 0 : tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FloatOpTest, testing::Values(DType::kF32, DType::kF64), TestNameOf);

TEST(ScalarOpTest, BoolOperations) {
  for (ScalarOp op :
       {ScalarOp::kAnd, ScalarOp::kOr, ScalarOp::kXor, ScalarOp::kEq, ScalarOp::kNe}) {
    CheckBinary(op, DType::kI1, 0);
  }
  CheckUnary(ScalarOp::kNot, DType::kI1, DType::kI1, 0);
}

TEST(ScalarOpTest, BitcastsKeepEveryBit) {
  CheckUnary(ScalarOp::kBitcast, DType::kF32, DType::kUI32, 0);
  CheckUnary(ScalarOp::kBitcast, DType::kUI32, DType::kF32, 0);
  CheckUnary(ScalarOp::kBitcast, DType::kF64, DType::kI64, 0);
  CheckUnary(ScalarOp::kBitcast, DType::kBF16, DType::kUI16, 0);
  CheckUnary(ScalarOp::kBitcast, DType::kF8E4M3, DType::kI8, 0);
}

TEST(ScalarOpTest, FmaRoundsOnceAndMultiplyAddTwice) {
  // (1 + e)^2 - 1 - 2e = e^2, which two roundings lose.
  const std::vector<float> x = {1.0f + 0x1p-12f};
  const auto Run = [&](bool fused) {
    const Kernel kernel = MapKernel("k", DType::kF32, DType::kF32, 1, [&](KernelBuilder& b, Var v) {
      const Var c = b.ConstantFloat(DType::kF32, -1.0 - 0x1p-11);
      if (fused) return b.Apply(ScalarOp::kFma, {v, v, c});
      return b.Apply(ScalarOp::kAdd, {b.Apply(ScalarOp::kMultiply, {v, v}), c});
    });
    const auto results = RunPlan(PlanOf(kernel), {BytesOf(x)});
    return results.ok() ? ValuesOf<float>((*results)[0])[0] : NAN;
  };
  EXPECT_EQ(Run(true), 0x1p-24f);
  EXPECT_EQ(Run(false), 0.0f);
}

}  // namespace
}  // namespace acceld::kernels::cpu
