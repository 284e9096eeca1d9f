// exp and its relatives for f32. Range reduction x = n ln 2 + r with |r| <= ln(2)/2; e^r - 1 by a
// minimax polynomial of degree 6 (relative error 1.4e-8); scaling by 2^n through exponent bits, or
// by AVX-512's own instruction.

#include <algorithm>

#include "kernels/cpu/emit/float_expr.h"
#include "kernels/cpu/emit/math_functions.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace acceld::kernels::cpu {
namespace {

// ln 2 as a float with few bits, so that n * kLn2High is exact, and the rest.
constexpr double kLn2High = 0x1.62e4p-1;
constexpr double kLn2Low = 0x1.7f7d1cp-20;
constexpr double kLog2E = 0x1.715476p+0;
// Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
constexpr double kMagic = 12582912.0;
constexpr int64_t kMagicBits = 0x4B400000;

struct Reduced {
  FloatExpr r;
  FloatExpr shifted;  // n + kMagic
  FloatExpr n;

  llvm::Value* IntegerN() const {
    llvm::Value* bits = shifted.Bits();
    return n.builder().CreateSub(bits, IntLike(bits, kMagicBits));
  }
};

// For |x| < 2^21. NaN gives a NaN `r` and some `n`.
Reduced ReduceByLn2(const CodeContext& code, FloatExpr x) {
  FloatExpr shifted = MulAdd(code, x, x.Constant(kLog2E), x.Constant(kMagic));
  FloatExpr n = shifted - kMagic;
  FloatExpr r = MulAdd(code, n, x.Constant(-kLn2High), x);
  r = MulAdd(code, n, x.Constant(-kLn2Low), r);
  return {r, shifted, n};
}

// (e^r - 1 - r) / r^2.
FloatExpr ExpTail(const CodeContext& code, FloatExpr r) {
  return Polynomial(code, r,
                    {0x1.fffffep-2, 0x1.5554aap-3, 0x1.555680p-5, 0x1.122d00p-7, 0x1.6beb2ap-10});
}

// 2^n for -126 <= n <= 127.
FloatExpr PowerOfTwo(Builder& b, llvm::Value* n) {
  return FloatExpr::OfBits(b, b.CreateShl(b.CreateAdd(n, IntLike(n, 127)), 23));
}

// The instruction that multiplies `x` by a power of two given as a float; none for its type.
llvm::Intrinsic::ID ScaleInstruction(const CodeContext& code, const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr || !code.HasFeature("avx512f")) return llvm::Intrinsic::not_intrinsic;
  if (vector->getNumElements() == 16) return llvm::Intrinsic::x86_avx512_mask_scalef_ps_512;
  if (!code.HasFeature("avx512vl")) return llvm::Intrinsic::not_intrinsic;
  if (vector->getNumElements() == 8) return llvm::Intrinsic::x86_avx512_mask_scalef_ps_256;
  if (vector->getNumElements() == 4) return llvm::Intrinsic::x86_avx512_mask_scalef_ps_128;
  return llvm::Intrinsic::not_intrinsic;
}

// e * 2^n, rounded once, for e between 1/2 and 2 and -151 <= n <= 129.
FloatExpr Scale(const CodeContext& code, FloatExpr e, const Reduced& reduced) {
  Builder& b = e.builder();
  llvm::Type* type = e.value()->getType();
  if (const auto scale = ScaleInstruction(code, type); scale != llvm::Intrinsic::not_intrinsic) {
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
    const bool is_widest = lanes == 16;
    llvm::SmallVector<llvm::Value*, 5> operands = {
        e.value(), reduced.n.value(), llvm::PoisonValue::get(type),
        llvm::Constant::getAllOnesValue(b.getIntNTy(std::max(lanes, 8u)))};
    constexpr int kRoundAsUsual = 4;
    if (is_widest) operands.push_back(b.getInt32(kRoundAsUsual));
    return {b, b.CreateIntrinsic(scale, {}, operands)};
  }
  // Two factors, because 2^n itself may be infinite or subnormal where the result is not.
  llvm::Value* n = reduced.IntegerN();
  llvm::Value* half = b.CreateAShr(n, 1);
  return e * PowerOfTwo(b, half) * PowerOfTwo(b, b.CreateSub(n, half));
}

// Past these bounds e^x is infinite, or rounds to zero.
constexpr double kMinExponent = -104.5, kMaxExponent = 89.0;

// For kMinExponent <= x <= kMaxExponent.
FloatExpr ExpInRange(const CodeContext& code, FloatExpr x) {
  const Reduced reduced = ReduceByLn2(code, x);
  FloatExpr r = reduced.r, tail = ExpTail(code, r), one = x.Constant(1.0);
  // Where all operations round, the small terms are summed first.
  FloatExpr e = code.HasFeature("fma") ? MulAdd(code, MulAdd(code, tail, r, one), r, one)
                                       : tail * (r * r) + r + one;
  return Scale(code, e, reduced);
}

FloatExpr Expm1(const CodeContext& code, FloatExpr x) {
  Builder& b = x.builder();
  // Below -18 the result is -1 to the last bit.
  const Reduced reduced = ReduceByLn2(code, x.Clamp(-18.0, 89.0));
  FloatExpr r = reduced.r;
  FloatExpr p = MulAdd(code, ExpTail(code, r), r * r, r);
  // 2^n (p + 1) - 1, halved while 2^n might overflow.
  llvm::Value* n = reduced.IntegerN();
  FloatExpr half_scale = PowerOfTwo(b, b.CreateSub(n, IntLike(n, 1)));
  FloatExpr scaled = MulAdd(code, half_scale, p, half_scale - 0.5) * 2.0;
  FloatExpr result = FloatExpr::If(reduced.n.Equals(0.0), p, scaled);
  return result.CopySign(x);
}

}  // namespace

llvm::Value* EmitExpF32(const CodeContext& code, Builder& b, llvm::Value* x) {
  return ExpInRange(code, FloatExpr(b, x).Clamp(kMinExponent, kMaxExponent)).value();
}

llvm::Value* EmitExpm1F32(const CodeContext& code, Builder& b, llvm::Value* x) {
  return Expm1(code, {b, x}).value();
}

llvm::Value* EmitLogisticF32(const CodeContext& code, Builder& b, llvm::Value* value) {
  FloatExpr x(b, value);
  // With e = exp(-|x|) nothing overflows: 1 / (1 + e), or e / (1 + e) for negative x.
  FloatExpr e = ExpInRange(code, (-x.Abs()).AtLeast(kMinExponent));
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
