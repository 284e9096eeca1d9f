// sin and cos for f32: the argument is n pi/2 + r with |r| <= pi/4, and sin r = r + r^3 S(r^2),
// cos r = 1 - r^2/2 + r^4 C(r^2) with minimax S and C of degree 2 (relative errors 3.6e-9 and
// 1e-10). Up to 2^28 quadrants the argument is reduced in f64 with pi/2 in two parts (Cody and
// Waite, Software Manual for the Elementary Functions, 1980), beyond that by integers (Payne and
// Hanek, Radian Reduction for Trigonometric Functions, SIGNUM Newsletter 18, 1983).

#include <array>
#include <cstdint>
#include <limits>

#include "kernels/cpu/emit/float_expr.h"
#include "kernels/cpu/emit/math_functions.h"

namespace acceld::kernels::cpu {
namespace {

constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
// pi/2 in 25 bits, so that its product with 28 more is exact, and what is left of it.
constexpr double kHalfPiHigh = 0x1.921fb5p+0;
constexpr double kHalfPiLow = 0x1.110b4611a6263p-26;
constexpr double kHalfPi = 0x1.921fb54442d18p+0;
constexpr double kLarge = 0x1.8p+28;

// The bits of 2/pi behind its binary point.
constexpr std::array<uint32_t, 8> kTwoOverPiBits = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
                                                    0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561};
// A large float is an integer m < 2^24 times 2^s with s up to this.
constexpr int kMaxShift = 104;

// `count` <= 64 of these bits from the one with weight 2^-(first + 1) on.
constexpr uint64_t BitsFrom(int first, int count) {
  uint64_t bits = 0;
  for (int i = first; i < first + count; ++i) {
    bits = bits << 1 | (kTwoOverPiBits[i / 32] >> (31 - i % 32) & 1);
  }
  return bits;
}

// table[s], for loads at places that are known at run time.
llvm::GlobalVariable* Table(const CodeContext& code, int skip, int count, const char* name) {
  std::array<uint64_t, kMaxShift + 1> values = {};
  for (int s = 2; s <= kMaxShift; ++s) values[s] = BitsFrom(s - 2 + skip, count);
  llvm::Constant* data = llvm::ConstantDataArray::get(code.llvm(), values);
  auto* table = new llvm::GlobalVariable(code.module(), data->getType(), /*isConstant=*/true,
                                         llvm::GlobalValue::PrivateLinkage, data, name);
  table->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return table;
}

struct Reduced {
  FloatExpr rest;         // r, f32
  llvm::Value* quadrant;  // n modulo 4, in the lowest bits of an i32
};

// Of a magnitude of at least 2^24, and anything for others: with x = m 2^s, m times the bits of
// 2/pi from weight 2^(1-s) on is x 2/pi modulo 4, as what is left out above are multiples of 4.
Reduced ReduceLarge(const CodeContext& code, FloatExpr magnitude) {
  Builder& b = magnitude.builder();
  llvm::Type* i64 = b.getInt64Ty();
  llvm::Value* bits = b.CreateBitCast(magnitude.value(), b.getInt32Ty());
  llvm::Value* mantissa = b.CreateOr(b.CreateAnd(bits, 0x7FFFFF), 0x800000);
  llvm::Value* m = b.CreateZExt(mantissa, i64);
  llvm::Value* shift = b.CreateSub(b.CreateLShr(bits, 23), b.getInt32(150));
  // Of small and of infinite ones, anything inside the table.
  shift = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, shift, b.getInt32(2));
  shift = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, shift, b.getInt32(kMaxShift));
  llvm::Value* index = b.CreateZExt(shift, i64);
  const auto load = [&](int skip, int count, const char* name) {
    llvm::GlobalVariable* table = Table(code, skip, count, name);
    return b.CreateLoad(i64,
                        b.CreateInBoundsGEP(table->getValueType(), table, {b.getInt64(0), index}));
  };
  // Modulo 2^64, of which 2^62 is one quadrant; then as the nearest quadrant and a signed rest.
  llvm::Value* high = b.CreateMul(m, load(0, 64, "two_over_pi"));
  llvm::Value* low = b.CreateLShr(b.CreateMul(m, load(64, 32, "two_over_pi_low")), 32);
  llvm::Value* turns = b.CreateAdd(high, low);
  llvm::Value* nearest = b.CreateLShr(b.CreateAdd(turns, b.getInt64(int64_t{1} << 61)), 62);
  llvm::Value* rest = b.CreateSub(turns, b.CreateShl(nearest, 62));
  FloatExpr r(b, b.CreateSIToFP(rest, b.getDoubleTy()));
  return {FloatExpr(b, b.CreateFPTrunc((r * (kHalfPi * 0x1p-62)).value(), b.getFloatTy())),
          b.CreateTrunc(nearest, b.getInt32Ty())};
}

Reduced ReduceSmall(FloatExpr magnitude) {
  Builder& b = magnitude.builder();
  FloatExpr x(b, b.CreateFPExt(magnitude.value(), b.getDoubleTy()));
  // Whatever large ones come to: it must fit an i32.
  x = FloatExpr::If(x.Less(kLarge), x, x.Constant(0.0));
  FloatExpr n(b, b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, (x * kTwoOverPi).value()));
  FloatExpr r = (x - n * kHalfPiHigh) - n * kHalfPiLow;
  return {FloatExpr(b, b.CreateFPTrunc(r.value(), b.getFloatTy())),
          b.CreateFPToSI(n.value(), b.getInt32Ty())};
}

Reduced Reduce(const CodeContext& code, FloatExpr magnitude) {
  Builder& b = magnitude.builder();
  const Reduced small = ReduceSmall(magnitude), large = ReduceLarge(code, magnitude);
  llvm::Value* is_small = magnitude.Less(kLarge);
  return {FloatExpr::If(is_small, small.rest, large.rest),
          b.CreateSelect(is_small, small.quadrant, large.quadrant)};
}

// sin(r + quadrant pi/2).
FloatExpr SinInQuadrant(const CodeContext& code, const Reduced& reduced, llvm::Value* quadrant) {
  FloatExpr r = reduced.rest;
  Builder& b = r.builder();
  FloatExpr square = r * r;
  FloatExpr sin =
      MulAdd(code, r * square,
             Polynomial(code, square, {-0x1.555546p-3, 0x1.11076p-7, -0x1.994e56p-13}), r);
  FloatExpr tail =
      Polynomial(code, square, {0x1.55554ap-5, -0x1.6c0c8ap-10, 0x1.9a0202p-16}) * square;
  FloatExpr cos = MulAdd(code, tail - 0.5, square, r.Constant(1.0));
  llvm::Value* odd = b.CreateICmpNE(b.CreateAnd(quadrant, 1), b.getInt32(0));
  FloatExpr result = FloatExpr::If(odd, cos, sin);
  llvm::Value* sign = b.CreateShl(b.CreateAnd(quadrant, 2), 30);
  llvm::Value* bits = b.CreateXor(b.CreateBitCast(result.value(), b.getInt32Ty()), sign);
  return {b, b.CreateBitCast(bits, b.getFloatTy())};
}

FloatExpr NanUnlessFinite(FloatExpr magnitude, FloatExpr result) {
  return FloatExpr::If(magnitude.Less(std::numeric_limits<double>::infinity()), result,
                       result.Constant(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace

llvm::Value* EmitSinF32(const CodeContext& code, Builder& b, llvm::Value* value) {
  FloatExpr x(b, value), magnitude = x.Abs();
  const Reduced reduced = Reduce(code, magnitude);
  FloatExpr result = SinInQuadrant(code, reduced, reduced.quadrant);
  // It is odd; the sign of zero stays.
  llvm::Value* sign = b.CreateAnd(b.CreateBitCast(value, b.getInt32Ty()), 0x80000000);
  llvm::Value* bits = b.CreateXor(b.CreateBitCast(result.value(), b.getInt32Ty()), sign);
  return NanUnlessFinite(magnitude, {b, b.CreateBitCast(bits, b.getFloatTy())}).value();
}

llvm::Value* EmitCosF32(const CodeContext& code, Builder& b, llvm::Value* value) {
  FloatExpr magnitude = FloatExpr(b, value).Abs();
  const Reduced reduced = Reduce(code, magnitude);
  llvm::Value* quadrant = b.CreateAdd(reduced.quadrant, b.getInt32(1));
  return NanUnlessFinite(magnitude, SinInQuadrant(code, reduced, quadrant)).value();
}

}  // namespace acceld::kernels::cpu
