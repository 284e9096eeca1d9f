// sin and cos for f32. The argument is n pi/2 + r with |r| <= pi/4, and sin r = r + r^3 S(r^2), cos
// r = 1 - r^2/2 + r^4 C(r^2) with minimax polynomials S and C of degree 2 (errors 4e-9 and 1e-10).
//
// The argument is m 2^s with an integer m < 2^24. A table has 2^s 2/pi modulo 4 for each s. Its
// product with m is x 2/pi up to multiples of 4, as in Payne and Hanek, Radian Reduction for
// Trigonometric Functions, SIGNUM Newsletter 18, 1983. The entries of the table are sums of two
// f64. The first one has 29 bits, so that its product with m is exact. All arguments are reduced in
// the same way, without a branch.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/emit/math/float_expr.h"
#include "kernels/cpu/emit/math/math_functions.h"

namespace acceld::kernels::cpu {
namespace {

constexpr double kHalfPi = 0x1.921fb54442d18p+0;

// The bits of 2/pi after the binary point.
constexpr std::array<uint32_t, 8> kTwoOverPiBits = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
                                                    0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561};
constexpr int kHighBits = 29, kLowBits = 53;
// The exponents of f32, with those of subnormal numbers and of infinity.
constexpr int kExponents = 256;

// Returns `count` <= 64 of the bits of 2/pi, beginning with the bit of weight 2^-first.
uint64_t BitsFrom(int first, int count) {
  uint64_t bits = 0;
  for (int i = first - 1; i < first - 1 + count; ++i) {
    bits = bits << 1 | (kTwoOverPiBits[i / 32] >> (31 - i % 32) & 1);
  }
  return bits;
}

// For each biased exponent, 2^s 2/pi modulo 4.
struct TwoOverPiTable {
  std::array<double, kExponents> high = {}, low = {};

  TwoOverPiTable() {
    for (int exponent = 0; exponent + 1 < kExponents; ++exponent) {
      const int s = std::max(exponent, 1) - 150;
      const int first = std::max(1, s - 1);  // Earlier bits have weights of 4 and more.
      high[exponent] = std::ldexp(BitsFrom(first, kHighBits), s - first - kHighBits + 1);
      low[exponent] =
          std::ldexp(BitsFrom(first + kHighBits, kLowBits), s - first - kHighBits - kLowBits + 1);
    }
    // Infinity and NaN have no reduced argument.
    low[kExponents - 1] = std::numeric_limits<double>::quiet_NaN();
  }
};

// Generates a load of values[index].
FloatExpr Load(const CodeContext& code, Builder& b, llvm::ArrayRef<double> values,
               llvm::Value* index, const char* name) {
  llvm::Constant* data = llvm::ConstantDataArray::get(code.llvm(), values);
  auto* table = new llvm::GlobalVariable(code.module(), data->getType(), /*isConstant=*/true,
                                         llvm::GlobalValue::PrivateLinkage, data, name);
  table->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  llvm::Value* address = b.CreateInBoundsGEP(table->getValueType(), table, {b.getInt64(0), index});
  return {b, b.CreateLoad(b.getDoubleTy(), address)};
}

struct Reduced {
  FloatExpr rest;         // r, f64
  llvm::Value* quadrant;  // n, an i32
};

Reduced Reduce(const CodeContext& code, FloatExpr magnitude) {
  static const TwoOverPiTable* const table = new TwoOverPiTable;
  Builder& b = magnitude.builder();
  llvm::Value* bits = b.CreateBitCast(magnitude.value(), b.getInt32Ty());
  llvm::Value* exponent = b.CreateLShr(bits, 23);
  llvm::Value* leading_bit =
      b.CreateSelect(b.CreateICmpEQ(exponent, b.getInt32(0)), b.getInt32(0), b.getInt32(1 << 23));
  llvm::Value* mantissa = b.CreateOr(b.CreateAnd(bits, (1 << 23) - 1), leading_bit);
  FloatExpr m(b, b.CreateSIToFP(mantissa, b.getDoubleTy()));
  llvm::Value* index = b.CreateZExt(exponent, b.getInt64Ty());
  FloatExpr high = m * Load(code, b, table->high, index, "turns_high");
  FloatExpr low = m * Load(code, b, table->low, index, "turns_low");
  FloatExpr n(b, b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, (high + low).value()));
  FloatExpr r = ((high - n) + low) * kHalfPi;
  // Any quadrant will do where r is NaN.
  return {r, b.CreateFreeze(b.CreateFPToSI(n.value(), b.getInt32Ty()))};
}

// Generates sin(r + quadrant pi/2), negated where the sign bit of `sign` is set. It is rounded once
// to f32; everything before is f64.
llvm::Value* SinInQuadrant(const CodeContext& code, const Reduced& reduced, llvm::Value* quadrant,
                           llvm::Value* sign) {
  FloatExpr r = reduced.rest;
  Builder& b = r.builder();
  FloatExpr square = r * r;
  FloatExpr sin =
      MulAdd(code, r * square,
             Polynomial(code, square, {-0x1.555546p-3, 0x1.11076p-7, -0x1.994e56p-13}), r);
  FloatExpr cos =
      Polynomial(code, square, {1.0, -0.5, 0x1.55554ap-5, -0x1.6c0c8ap-10, 0x1.9a0202p-16});
  llvm::Value* odd = b.CreateICmpNE(b.CreateAnd(quadrant, 1), b.getInt32(0));
  FloatExpr result = FloatExpr::If(odd, cos, sin);
  llvm::Value* lower_half = b.CreateShl(b.CreateAnd(quadrant, 2), 30);
  llvm::Value* rounded = b.CreateFPTrunc(result.value(), b.getFloatTy());
  llvm::Value* bits =
      b.CreateXor(b.CreateBitCast(rounded, b.getInt32Ty()), b.CreateXor(lower_half, sign));
  return b.CreateBitCast(bits, b.getFloatTy());
}

}  // namespace

llvm::Value* EmitSinF32(const CodeContext& code, Builder& b, llvm::Value* value) {
  const Reduced reduced = Reduce(code, FloatExpr(b, value).Abs());
  // sin is odd: the sign of x, also of zero, is that of the result.
  llvm::Value* sign = b.CreateAnd(b.CreateBitCast(value, b.getInt32Ty()), 0x80000000);
  return SinInQuadrant(code, reduced, reduced.quadrant, sign);
}

llvm::Value* EmitCosF32(const CodeContext& code, Builder& b, llvm::Value* value) {
  const Reduced reduced = Reduce(code, FloatExpr(b, value).Abs());
  llvm::Value* quadrant = b.CreateAdd(reduced.quadrant, b.getInt32(1));
  return SinInQuadrant(code, reduced, quadrant, b.getInt32(0));
}

}  // namespace acceld::kernels::cpu
