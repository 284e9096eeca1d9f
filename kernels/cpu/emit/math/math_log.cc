// log and log1p for f32: the argument is 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)], and
// log(1 + f) = f - f^2/2 + f^3 L(f) with a minimax L of degree 7 (relative error 6.5e-9).

#include <limits>

#include "kernels/cpu/emit/math/float_expr.h"
#include "kernels/cpu/emit/math/math_functions.h"

namespace acceld::kernels::cpu {
namespace {

constexpr double kLn2High = 0x1.62e4p-1;
constexpr double kLn2Low = 0x1.7f7d1cp-20;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Split {
  FloatExpr fraction;  // f
  FloatExpr exponent;  // k, an integer
};

// Splits a positive normal number.
Split SplitNear1(FloatExpr u) {
  Builder& b = u.builder();
  constexpr uint32_t kSqrtHalf = 0x3F3504F3;
  llvm::Value* bits = u.Bits();
  llvm::Value* offset = b.CreateSub(bits, IntLike(bits, kSqrtHalf));
  llvm::Value* k = b.CreateAShr(offset, 23);
  llvm::Value* mantissa = b.CreateSub(bits, b.CreateShl(k, 23));
  FloatExpr m = FloatExpr::OfBits(b, mantissa);
  return {m - 1.0, FloatExpr(b, b.CreateSIToFP(k, u.value()->getType()))};
}

// Generates k ln 2 + log(1 + f) + correction.
FloatExpr LogOfSplit(const CodeContext& code, FloatExpr f, FloatExpr k, FloatExpr correction) {
  FloatExpr tail = Polynomial(code, f,
                              {0x1.555554p-2, -0x1.00024ep-2, 0x1.99a084p-3, -0x1.5466e6p-3,
                               0x1.22c560p-3, -0x1.0de59cp-3, 0x1.062694p-3, -0x1.38ab3ap-4});
  FloatExpr square = f * f;
  FloatExpr low = MulAdd(code, k, k.Constant(kLn2Low), correction);
  low = MulAdd(code, square * f, tail, low);
  low = MulAdd(code, square, square.Constant(-0.5), low);
  // k * kLn2High is exact. The larger terms are added last.
  FloatExpr high = k * kLn2High;
  FloatExpr sum = high + f;
  FloatExpr rounding = f - (sum - high);
  return FloatExpr::If(k.Equals(0.0), f + low, sum + (low + rounding));
}

// Replaces the results for the limits of the domain: -inf for x = zero_at, NaN for smaller x and
// for NaN, inf for inf.
FloatExpr WithEdges(FloatExpr result, FloatExpr x, double zero_at) {
  result = FloatExpr::If(x.Equals(kInfinity), x, result);
  result = FloatExpr::If(x.Equals(zero_at), x.Constant(-kInfinity), result);
  Builder& b = x.builder();
  llvm::Value* invalid = b.CreateFCmpULT(x.value(), x.Constant(zero_at).value());
  return FloatExpr::If(invalid, x.Constant(kNan), result);
}

}  // namespace

llvm::Value* EmitLogF32(const CodeContext& code, Builder& b, llvm::Value* value) {
  FloatExpr x(b, value);
  // Subnormal numbers are scaled up first.
  llvm::Value* tiny = x.Less(0x1p-126);
  FloatExpr normal = FloatExpr::If(tiny, x * 0x1p24, x);
  Split split = SplitNear1(normal);
  FloatExpr k = split.exponent - FloatExpr::If(tiny, x.Constant(24.0), x.Constant(0.0));
  return WithEdges(LogOfSplit(code, split.fraction, k, x.Constant(0.0)), x, 0.0).value();
}

llvm::Value* EmitLog1pF32(const CodeContext& code, Builder& b, llvm::Value* value) {
  FloatExpr x(b, value);
  FloatExpr u = x + 1.0;
  Split split = SplitNear1(u);
  // The rounding error of 1 + x, relative to u: the smaller summand minus the part of it that is in
  // u.
  FloatExpr lost = FloatExpr::If(x.Greater(1.0), u.Constant(1.0) - (u - x), x - (u - 1.0));
  FloatExpr correction = FloatExpr::If(u.Greater(0x1p25), x.Constant(0.0), lost / u);
  // Near zero the fraction is x itself, with nothing lost.
  llvm::Value* near = split.exponent.Equals(0.0);
  FloatExpr f = FloatExpr::If(near, x, split.fraction);
  correction = FloatExpr::If(near, x.Constant(0.0), correction);
  FloatExpr result = LogOfSplit(code, f, split.exponent, correction);
  result = FloatExpr::If(x.Equals(0.0), x, result);  // keeps the sign of zero
  return WithEdges(result, x, -1.0).value();
}

}  // namespace acceld::kernels::cpu
