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

// For |x| < 2^21. NaN gives NaNs.
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

// AVX-512's forms of an instruction for 16, 8 and 4 floats.
struct Instruction {
  llvm::Intrinsic::ID by_lanes[3];
};
constexpr Instruction kScale = {{llvm::Intrinsic::x86_avx512_mask_scalef_ps_512,
                                 llvm::Intrinsic::x86_avx512_mask_scalef_ps_256,
                                 llvm::Intrinsic::x86_avx512_mask_scalef_ps_128}};
constexpr Instruction kRange = {{llvm::Intrinsic::x86_avx512_mask_range_ps_512,
                                 llvm::Intrinsic::x86_avx512_mask_range_ps_256,
                                 llvm::Intrinsic::x86_avx512_mask_range_ps_128}};

// Whether the target has such instructions for vectors of the type.
bool HasInstructions(const CodeContext& code, const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr || !code.HasFeature("avx512dq")) return false;
  const unsigned lanes = vector->getNumElements();
  return lanes == 16 || ((lanes == 8 || lanes == 4) && code.HasFeature("avx512vl"));
}

// For types that have instructions: of all lanes.
FloatExpr Call(const Instruction& instruction, FloatExpr like,
               llvm::SmallVector<llvm::Value*, 6> operands) {
  Builder& b = like.builder();
  llvm::Type* type = like.value()->getType();
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  operands.push_back(llvm::PoisonValue::get(type));
  operands.push_back(llvm::Constant::getAllOnesValue(b.getIntNTy(std::max(lanes, 8u))));
  constexpr int kRoundAsUsual = 4;
  if (lanes == 16) operands.push_back(b.getInt32(kRoundAsUsual));
  const int form = lanes == 16 ? 0 : lanes == 8 ? 1 : 2;
  return {b, b.CreateIntrinsic(instruction.by_lanes[form], {}, operands)};
}

// e * 2^n, rounded once, for e between 1/4 and 4 and -151 <= n <= 129; any n where the target has
// an instruction.
FloatExpr Scale(const CodeContext& code, FloatExpr e, const Reduced& reduced) {
  Builder& b = e.builder();
  if (HasInstructions(code, e.value()->getType())) {
    return Call(kScale, e, {e.value(), reduced.n.value()});
  }
  // Two factors, because 2^n itself may be infinite or subnormal where the result is not.
  llvm::Value* n = reduced.IntegerN();
  llvm::Value* half = b.CreateAShr(n, 1);
  return e * PowerOfTwo(b, half) * PowerOfTwo(b, b.CreateSub(n, half));
}

// `x` held within [-1, 1], 1 for NaN.
FloatExpr HeldWithinOne(FloatExpr x) {
  constexpr int kSmallerMagnitudeWithSignOfFirst = 2;
  return Call(
      kRange, x,
      {x.value(), x.Constant(1.0).value(), x.builder().getInt32(kSmallerMagnitudeWithSignOfFirst)});
}

// Past these bounds e^x is infinite, or rounds to zero.
constexpr double kMinExponent = -104.5, kMaxExponent = 89.0;

// 2^n e^r.
FloatExpr ExpOf(const CodeContext& code, const Reduced& reduced) {
  FloatExpr r = reduced.r, tail = ExpTail(code, r), one = r.Constant(1.0);
  // Where all operations round, the small terms are summed first.
  FloatExpr e = code.HasFeature("fma") ? MulAdd(code, MulAdd(code, tail, r, one), r, one)
                                       : tail * (r * r) + r + one;
  return Scale(code, e, reduced);
}

FloatExpr Exp(const CodeContext& code, FloatExpr x) {
  if (!HasInstructions(code, x.value()->getType())) {
    return ExpOf(code, ReduceByLn2(code, x.Clamp(kMinExponent, kMaxExponent)));
  }
  // Far outside the bounds `r` is anything, or NaN where x is infinite, and n alone decides.
  Reduced reduced = ReduceByLn2(code, x);
  reduced.r = HeldWithinOne(reduced.r);
  return ExpOf(code, reduced);
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
  return Exp(code, {b, x}).value();
}

llvm::Value* EmitExpm1F32(const CodeContext& code, Builder& b, llvm::Value* x) {
  return Expm1(code, {b, x}).value();
}

llvm::Value* EmitLogisticF32(const CodeContext& code, Builder& b, llvm::Value* value) {
  FloatExpr x(b, value);
  // With e = exp(-|x|) nothing overflows: 1 / (1 + e), or e / (1 + e) for negative x.
  FloatExpr e = ExpOf(code, ReduceByLn2(code, (-x.Abs()).AtLeast(kMinExponent)));
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
