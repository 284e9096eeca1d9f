#include "tests/unit/kernels/scalar_cases.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/ir/types/float_formats.h"
#include "gtest/gtest.h"
#include "kernels/ir/interpreter/run_scalar.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"

namespace acceld::kernels {
namespace {

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

void AddUnary(std::vector<ScalarCase>& cases, ScalarOp op, DType from, DType to, double tolerance) {
  const std::vector<uint64_t> x = EdgeValues(from);
  ScalarCase one{
      .name = absl::StrCat(NameOf(op), " ", ir::DTypeName(from), " -> ", ir::DTypeName(to)),
      .arguments = {Store(from, x)},
      .operands = {x},
      .result_dtype = to,
      .tolerance = tolerance};
  one.kernel =
      MapKernel("op", from, to, static_cast<int64_t>(x.size()), [&](KernelBuilder& b, Var v) {
        if (op == ScalarOp::kConvert) return b.Convert(to, v);
        if (op == ScalarOp::kBitcast) return b.Bitcast(to, v);
        return b.Apply(op, {v});
      });
  for (const uint64_t value : x) one.expected.push_back(RunScalar(op, from, {&value, 1}, to));
  cases.push_back(std::move(one));
}

void AddBinary(std::vector<ScalarCase>& cases, ScalarOp op, DType dtype, double tolerance) {
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
  ScalarCase one{.name = absl::StrCat(NameOf(op), " ", ir::DTypeName(dtype)),
                 .arguments = {Store(dtype, x), Store(dtype, y)},
                 .operands = {x, y},
                 .result_dtype = to,
                 .tolerance = tolerance};
  one.kernel = ZipKernel("op", dtype, to, static_cast<int64_t>(x.size()),
                         [&](KernelBuilder& b, Var a, Var c) { return b.Apply(op, {a, c}); });
  for (size_t i = 0; i < x.size(); ++i) {
    const uint64_t operands[] = {x[i], y[i]};
    one.expected.push_back(RunScalar(op, dtype, operands, to));
  }
  cases.push_back(std::move(one));
}

}  // namespace

std::vector<ScalarCase> ConversionCases(DType from) {
  std::vector<ScalarCase> cases;
  const auto add = [&](DType to) {
    if (from != to) AddUnary(cases, ScalarOp::kConvert, from, to, 0);
  };
  add(DType::kI1);
  for (DType to : kIntegerTypes) add(to);
  for (DType to : kFloatTypes) add(to);
  return cases;
}

std::vector<ScalarCase> IntegerCases(DType dtype) {
  std::vector<ScalarCase> cases;
  for (ScalarOp op : {ScalarOp::kAbs, ScalarOp::kCountLeadingZeros, ScalarOp::kNegate,
                      ScalarOp::kNot, ScalarOp::kPopcnt}) {
    AddUnary(cases, op, dtype, dtype, 0);
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
    AddBinary(cases, op, dtype, 0);
  }
  return cases;
}

std::vector<ScalarCase> FloatCases(DType dtype) {
  std::vector<ScalarCase> cases;
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
    AddUnary(cases, op, dtype, dtype, IsExact(op) ? 0 : tolerance);
  }
  AddUnary(cases, ScalarOp::kIsFinite, dtype, DType::kI1, 0);
  for (ScalarOp op : {ScalarOp::kAdd, ScalarOp::kAtan2, ScalarOp::kDivide, ScalarOp::kEq,
                      ScalarOp::kGe, ScalarOp::kGt, ScalarOp::kLe, ScalarOp::kLt, ScalarOp::kMax,
                      ScalarOp::kMin, ScalarOp::kMultiply, ScalarOp::kNe, ScalarOp::kPower,
                      ScalarOp::kRemainder, ScalarOp::kSubtract}) {
    AddBinary(cases, op, dtype, IsExact(op) ? 0 : tolerance);
  }
  return cases;
}

std::vector<ScalarCase> BoolCases() {
  std::vector<ScalarCase> cases;
  for (ScalarOp op :
       {ScalarOp::kAnd, ScalarOp::kOr, ScalarOp::kXor, ScalarOp::kEq, ScalarOp::kNe}) {
    AddBinary(cases, op, DType::kI1, 0);
  }
  AddUnary(cases, ScalarOp::kNot, DType::kI1, DType::kI1, 0);
  return cases;
}

std::vector<ScalarCase> BitcastCases() {
  std::vector<ScalarCase> cases;
  AddUnary(cases, ScalarOp::kBitcast, DType::kF32, DType::kUI32, 0);
  AddUnary(cases, ScalarOp::kBitcast, DType::kUI32, DType::kF32, 0);
  AddUnary(cases, ScalarOp::kBitcast, DType::kF64, DType::kI64, 0);
  AddUnary(cases, ScalarOp::kBitcast, DType::kBF16, DType::kUI16, 0);
  AddUnary(cases, ScalarOp::kBitcast, DType::kF8E4M3, DType::kI8, 0);
  return cases;
}

std::vector<ScalarCase> ContractionCases(DType dtype) {
  // (1 + e)^2 - (1 + 2e) = e^2, which is lost where the square is rounded by itself.
  const double e = dtype == DType::kF32 ? 0x1p-12 : 0x1p-27;
  std::vector<ScalarCase> cases;
  const auto add = [&](std::string name, double expected,
                       const std::function<Var(KernelBuilder&, Var x, Var c)>& f) {
    const std::vector<uint64_t> x = {ir::EncodeFloat(dtype, 1 + e)};
    ScalarCase one{.name = absl::StrCat(name, " ", ir::DTypeName(dtype)),
                   .arguments = {Store(dtype, x)},
                   .operands = {x},
                   .expected = {ir::EncodeFloat(dtype, expected)},
                   .result_dtype = dtype};
    one.kernel = MapKernel("op", dtype, dtype, 1, [&](KernelBuilder& b, Var v) {
      return f(b, v, b.ConstantFloat(dtype, 1 + 2 * e));
    });
    cases.push_back(std::move(one));
  };
  const auto plus = [](KernelBuilder& b, Var x, Var y) { return b.Apply(ScalarOp::kAdd, {x, y}); };
  const auto minus = [](KernelBuilder& b, Var x, Var y) {
    return b.Apply(ScalarOp::kSubtract, {x, y});
  };
  const auto negated = [](KernelBuilder& b, Var x) { return b.Apply(ScalarOp::kNegate, {x}); };
  add("x * x + c", e * e,
      [&](KernelBuilder& b, Var x, Var c) { return plus(b, b.Product(x, x), negated(b, c)); });
  add("c + x * x", e * e,
      [&](KernelBuilder& b, Var x, Var c) { return plus(b, negated(b, c), b.Product(x, x)); });
  add("x * x - c", e * e,
      [&](KernelBuilder& b, Var x, Var c) { return minus(b, b.Product(x, x), c); });
  add("c - x * x", -e * e,
      [&](KernelBuilder& b, Var x, Var c) { return minus(b, c, b.Product(x, x)); });
  // A product that is used twice has one value.
  add("(x * x - c) / (x * x)", 0, [&](KernelBuilder& b, Var x, Var c) {
    const Var product = b.Product(x, x);
    return b.Apply(ScalarOp::kDivide, {minus(b, product, c), product});
  });
  // Formulas that count on each rounding keep them.
  add("multiply(x, x) - c", 0, [&](KernelBuilder& b, Var x, Var c) {
    return minus(b, b.Apply(ScalarOp::kMultiply, {x, x}), c);
  });
  return cases;
}

void ExpectAgrees(const ScalarCase& one, const std::string& result) {
  const std::vector<uint64_t> actual = Read(one.result_dtype, result);
  ASSERT_EQ(actual.size(), one.expected.size()) << one.name;
  for (size_t i = 0; i < actual.size(); ++i) {
    const bool agrees = Agree(one.result_dtype, actual[i], one.expected[i], one.tolerance);
    EXPECT_TRUE(agrees) << one.name << std::hex << " of 0x" << one.operands[0][i] << ", 0x"
                        << one.operands.back()[i] << ": 0x" << actual[i] << ", expected 0x"
                        << one.expected[i];
  }
}

}  // namespace acceld::kernels
