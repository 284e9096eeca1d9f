// exp, expm1, logistic and tanh for f32. Range reduction: x = n ln 2 + r with |r| <= ln(2)/2. A
// minimax polynomial of degree 6 approximates e^r - 1 (relative error 1.4e-8). The scaling by 2^n
// uses the bits of the exponent.
//
// For exp itself, AVX-512 has an instruction for the scaling, and room for a table of powers of two
// in one register. There n counts sixteenths, so that |r| <= ln(2)/32 and degree 3 is enough
// (relative error 1.8e-9). All powers in the table have the same factor, which r compensates for
// and which brings each of them close to a float.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "absl/types/optional.h"
#include "kernels/cpu/emit/math/float_expr.h"
#include "kernels/cpu/emit/math/math_functions.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace acceld::kernels::cpu {
namespace {

// ln 2 as a sum of a float with few bits, so that n * kLn2High is exact, and the remainder.
constexpr double kLn2High = 0x1.62e4p-1;
constexpr double kLn2Low = 0x1.7f7d1cp-20;
constexpr double kLog2E = 0x1.715476p+0;
// Adding 1.5 * 2^23 rounds a float to an integer, which is then in the low bits of the sum. Adding
// a sixteenth of that rounds to sixteenths.
constexpr double kMagic = 12582912.0;
constexpr int64_t kMagicBits = 0x4B400000;
constexpr int kSixteenths = 16;
// The number that is added to round to sixteenths. The product with kNearLn2Low has n + kTableMagic
// in place of n, so that kTableMagic also decides the common factor of the powers: exp(kTableMagic
// kNearLn2Low). With this one, the relative distance of every power from the nearest float is at
// most 1.95e-8; without a factor it would be up to 6e-8.
constexpr double kTableMagic = 592451.0;
constexpr double kNearLn2 = 0x1.62e430p-1, kNearLn2Low = -0x1.05c610p-29;

struct Reduced {
  FloatExpr r;
  FloatExpr shifted;  // n + the number that was added to round
  FloatExpr n;

  llvm::Value* IntegerN() const {
    llvm::Value* bits = shifted.Bits();
    return n.builder().CreateSub(bits, IntLike(bits, kMagicBits));
  }
};

// Reduces x for |x| < 2^21. For NaN all parts are NaN.
Reduced ReduceByLn2(const CodeContext& code, FloatExpr x) {
  FloatExpr shifted = MulAdd(code, x, x.Constant(kLog2E), x.Constant(kMagic));
  FloatExpr n = shifted - kMagic;
  FloatExpr r = MulAdd(code, n, x.Constant(-kLn2High), x);
  r = MulAdd(code, n, x.Constant(-kLn2Low), r);
  return {r, shifted, n};
}

// Generates (e^r - 1 - r) / r^2.
FloatExpr ExpTail(const CodeContext& code, FloatExpr r) {
  return Polynomial(code, r,
                    {0x1.fffffep-2, 0x1.5554aap-3, 0x1.555680p-5, 0x1.122d00p-7, 0x1.6beb2ap-10});
}

// Generates 2^n for -126 <= n <= 127.
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

constexpr unsigned kFewestLanes = 4;

bool HasInstructions(const CodeContext& code) {
  return code.HasFeature("avx512dq") && code.HasFeature("avx512vl");
}

// Returns the number of lanes; 1 for a scalar.
unsigned LanesOf(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : vector->getNumElements();
}

// Generates the instruction for the vector's width, applied to all lanes.
FloatExpr Call(const Instruction& instruction, llvm::SmallVector<FloatExpr, 2> values,
               absl::optional<int> immediate) {
  Builder& b = values[0].builder();
  llvm::Type* type = values[0].value()->getType();
  const unsigned lanes = LanesOf(type);
  llvm::SmallVector<llvm::Value*, 6> operands;
  for (const FloatExpr& value : values) operands.push_back(value.value());
  if (immediate.has_value()) operands.push_back(b.getInt32(*immediate));
  operands.push_back(llvm::PoisonValue::get(type));
  operands.push_back(llvm::Constant::getAllOnesValue(b.getIntNTy(std::max(lanes, 8u))));
  constexpr int kRoundAsUsual = 4;
  if (lanes == 16) operands.push_back(b.getInt32(kRoundAsUsual));
  const int form = lanes == 16 ? 0 : lanes == 8 ? 1 : 2;
  return {b, b.CreateIntrinsic(instruction.by_lanes[form], {}, operands)};
}

// Generates e * 2^n, rounded once, for e between 1/4 and 4 and -151 <= n <= 129.
FloatExpr Scale(const CodeContext& code, FloatExpr e, const Reduced& reduced) {
  Builder& b = e.builder();
  if (HasInstructions(code) && LanesOf(e.value()->getType()) >= kFewestLanes) {
    return Call(kScale, {e, reduced.n}, absl::nullopt);
  }
  // Two factors, because 2^n itself may be infinite or subnormal where the result is not.
  llvm::Value* n = reduced.IntegerN();
  llvm::Value* half = b.CreateAShr(n, 1);
  return e * PowerOfTwo(b, half) * PowerOfTwo(b, b.CreateSub(n, half));
}

// Past these bounds e^x is infinite, or rounds to zero.
constexpr double kMinExponent = -104.5, kMaxExponent = 89.0;

// Generates 2^n e^r.
FloatExpr ExpOf(const CodeContext& code, const Reduced& reduced) {
  FloatExpr r = reduced.r, tail = ExpTail(code, r), one = r.Constant(1.0);
  // Where all operations round, the small terms are summed first.
  FloatExpr e = code.FusesMultiplyAdd() ? MulAdd(code, MulAdd(code, tail, r, one), r, one)
                                        : tail * (r * r) + r + one;
  return Scale(code, e, reduced);
}

// Generates x clamped to [-1, 1]; NaN gives 1.
FloatExpr ClampToOne(FloatExpr x) {
  constexpr int kSmallerMagnitudeWithSignOfFirst = 2;
  return Call(kRange, {x, x.Constant(1.0)}, kSmallerMagnitudeWithSignOfFirst);
}

// Returns a vector with `lanes` lanes: the first ones of `vector`, or all of it and undefined ones.
llvm::Value* WithLanes(Builder& b, llvm::Value* vector, unsigned lanes) {
  if (LanesOf(vector->getType()) == lanes) return vector;
  std::vector<int> mask(lanes, llvm::PoisonMaskElem);
  std::iota(mask.begin(), mask.begin() + std::min(lanes, LanesOf(vector->getType())), 0);
  return b.CreateShuffleVector(vector, mask);
}

// Generates 2^(i/16) times the common factor, where i is the last four bits of each element.
FloatExpr PowerOfSixteenths(Builder& b, llvm::Value* i) {
  std::vector<float> powers;
  const double factor = std::exp(kTableMagic * kNearLn2Low);
  for (int k = 0; k < kSixteenths; ++k) {
    const double power = factor * std::exp2(static_cast<double>(k) / kSixteenths);
    powers.push_back(static_cast<float>(power));
  }
  llvm::Value* found = b.CreateIntrinsic(
      llvm::Intrinsic::x86_avx512_permvar_sf_512, {},
      {llvm::ConstantDataVector::get(b.getContext(), powers), WithLanes(b, i, kSixteenths)});
  return {b, WithLanes(b, found, LanesOf(i->getType()))};
}

// Generates e^x for vectors of 4, 8 or 16 lanes.
FloatExpr ExpByTable(const CodeContext& code, FloatExpr x) {
  FloatExpr shifted = MulAdd(code, x, x.Constant(kLog2E), x.Constant(kTableMagic));
  FloatExpr n = shifted - kTableMagic;
  FloatExpr of_high = MulAdd(code, n, x.Constant(-kNearLn2), x);
  // Where x is far outside the range of finite results, r is arbitrary, or NaN if x is infinite,
  // and n alone decides the result.
  FloatExpr r = ClampToOne(MulAdd(code, shifted, x.Constant(-kNearLn2Low), of_high));
  FloatExpr power = PowerOfSixteenths(x.builder(), shifted.Bits());
  FloatExpr growth = Polynomial(code, r, {1.0, 0x1.000210p-1, 0x1.558f20p-3});  // (e^r - 1) / r
  // The instruction rounds n down. The table has accounted for the fraction.
  return Call(kScale, {MulAdd(code, power * r, growth, power), n}, absl::nullopt);
}

FloatExpr Exp(const CodeContext& code, FloatExpr x) {
  if (!HasInstructions(code)) {
    return ExpOf(code, ReduceByLn2(code, x.Clamp(kMinExponent, kMaxExponent)));
  }
  // Scalars and short vectors use the same algorithm, so that the last bits of a result do not
  // depend on whether its element was computed by a vector.
  Builder& b = x.builder();
  const unsigned lanes = LanesOf(x.value()->getType());
  if (lanes >= kFewestLanes) return ExpByTable(code, x);
  if (lanes > 1) {
    FloatExpr all = ExpByTable(code, {b, WithLanes(b, x.value(), kFewestLanes)});
    return {b, WithLanes(b, all.value(), lanes)};
  }
  llvm::Type* type = llvm::FixedVectorType::get(x.value()->getType(), kFewestLanes);
  llvm::Value* first = b.CreateInsertElement(llvm::PoisonValue::get(type), x.value(), uint64_t{0});
  return {b, b.CreateExtractElement(ExpByTable(code, {b, first}).value(), uint64_t{0})};
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
