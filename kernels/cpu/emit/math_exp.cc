// exp and its relatives for f32. Range reduction x = n ln 2 + r with |r| <= ln(2)/2; e^r - 1 by a
// minimax polynomial of degree 6 (relative error 1.4e-8); scaling by 2^n through exponent bits.

#include "kernels/cpu/emit/float_expr.h"
#include "kernels/cpu/emit/math_functions.h"

namespace acceld::kernels::cpu {
namespace {

// ln 2 as a float with few bits, so that n * kLn2High is exact, and the rest.
constexpr double kLn2High = 0x1.62e4p-1;
constexpr double kLn2Low = 0x1.7f7d1cp-20;
constexpr double kLog2E = 0x1.715476p+0;

struct Reduced {
  FloatExpr r;
  llvm::Value* n;     // as i32
  FloatExpr n_float;  // as float
};

// For |x| < 2^21. NaN gives a NaN `r` and some `n`.
Reduced ReduceByLn2(const CodeContext& code, FloatExpr x) {
  Builder& b = x.builder();
  // Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
  constexpr double kMagic = 12582912.0;
  FloatExpr shifted = MulAdd(code, x, x.Constant(kLog2E), x.Constant(kMagic));
  FloatExpr n_float = shifted - kMagic;
  llvm::Value* n =
      b.CreateSub(b.CreateBitCast(shifted.value(), b.getInt32Ty()), b.getInt32(0x4B400000));
  FloatExpr r = MulAdd(code, n_float, x.Constant(-kLn2High), x);
  r = MulAdd(code, n_float, x.Constant(-kLn2Low), r);
  return {r, n, n_float};
}

// (e^r - 1 - r) / r^2.
FloatExpr ExpTail(const CodeContext& code, FloatExpr r) {
  return Polynomial(code, r,
                    {0x1.fffffep-2, 0x1.5554aap-3, 0x1.555680p-5, 0x1.122d00p-7, 0x1.6beb2ap-10});
}

// 2^n for -126 <= n <= 127.
FloatExpr PowerOfTwo(FloatExpr like, llvm::Value* n) {
  Builder& b = like.builder();
  llvm::Value* bits = b.CreateShl(b.CreateAdd(n, b.getInt32(127)), 23);
  return {b, b.CreateBitCast(bits, b.getFloatTy())};
}

FloatExpr Exp(const CodeContext& code, FloatExpr x) {
  Builder& b = x.builder();
  // Past these bounds the result is infinite, or rounds to zero.
  Reduced reduced = ReduceByLn2(code, x.Clamp(-104.5, 89.0));
  FloatExpr r = reduced.r;
  FloatExpr tail = ExpTail(code, r);
  FloatExpr e = MulAdd(code, tail, r * r, r) + 1.0;
  // Two factors, because 2^n itself may be infinite or subnormal where the result is not.
  llvm::Value* half = b.CreateAShr(reduced.n, 1);
  return e * PowerOfTwo(x, half) * PowerOfTwo(x, b.CreateSub(reduced.n, half));
}

FloatExpr Expm1(const CodeContext& code, FloatExpr x) {
  Builder& b = x.builder();
  // Below -18 the result is -1 to the last bit.
  Reduced reduced = ReduceByLn2(code, x.Clamp(-18.0, 89.0));
  FloatExpr r = reduced.r;
  FloatExpr p = MulAdd(code, ExpTail(code, r), r * r, r);
  // 2^n (p + 1) - 1, halved while 2^n might overflow.
  FloatExpr half_scale = PowerOfTwo(x, b.CreateSub(reduced.n, b.getInt32(1)));
  FloatExpr scaled = MulAdd(code, half_scale, p, half_scale - 0.5) * 2.0;
  FloatExpr result = FloatExpr::If(reduced.n_float.Equals(0.0), p, scaled);
  return result.CopySign(x);
}

}  // namespace

llvm::Value* EmitExpF32(const CodeContext& code, Builder& b, llvm::Value* x) {
  return Exp(code, {b, x}).value();
}

llvm::Value* EmitExpm1F32(const CodeContext& code, Builder& b, llvm::Value* x) {
  return Expm1(code, {b, x}).value();
}

llvm::Value* EmitLogisticF32(const CodeContext& code, Builder& b, llvm::Value* value) {
  FloatExpr x(b, value);
  // With e = exp(-|x|) nothing overflows: 1 / (1 + e), or e / (1 + e) for negative x.
  FloatExpr e = Exp(code, -x.Abs());
  FloatExpr numerator = FloatExpr::If(x.Less(0.0), e, x.Constant(1.0));
  return (numerator / (e + 1.0)).value();
}

llvm::Value* EmitTanhF32(const CodeContext& code, Builder& b, llvm::Value* value) {
  FloatExpr x(b, value);
  // t / (t + 2) with t = e^(2|x|) - 1; from |x| = 10 on it rounds to 1.
  FloatExpr magnitude = x.Abs().Clamp(0.0, 10.0);
  FloatExpr t = Expm1(code, magnitude + magnitude);
  return (t / (t + 2.0)).CopySign(x).value();
}

}  // namespace acceld::kernels::cpu
