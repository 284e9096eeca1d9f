#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "kernels/cpu/emit/code_context.h"
#include "llvm/IR/Intrinsics.h"

namespace acceld::kernels::cpu {

// A float, or a vector of floats, that an LLVM function computes, with arithmetic operators that
// generate instructions, so that the polynomial math functions read as formulas. No operation has
// fast-math flags.
class FloatExpr {
 public:
  FloatExpr(Builder& b, llvm::Value* value) : b_(&b), value_(value) {}

  llvm::Value* value() const { return value_; }
  Builder& builder() const { return *b_; }
  FloatExpr Constant(double c) const { return {*b_, llvm::ConstantFP::get(value_->getType(), c)}; }

  // Converts the bits of an f32 to an i32, and back.
  llvm::Value* Bits() const {
    return b_->CreateBitCast(value_, value_->getType()->getWithNewType(b_->getInt32Ty()));
  }
  static FloatExpr OfBits(Builder& b, llvm::Value* bits) {
    return {b, b.CreateBitCast(bits, bits->getType()->getWithNewType(b.getFloatTy()))};
  }

  friend FloatExpr operator+(FloatExpr a, FloatExpr b) {
    return {*a.b_, a.b_->CreateFAdd(a.value_, b.value_)};
  }
  friend FloatExpr operator-(FloatExpr a, FloatExpr b) {
    return {*a.b_, a.b_->CreateFSub(a.value_, b.value_)};
  }
  friend FloatExpr operator*(FloatExpr a, FloatExpr b) {
    return {*a.b_, a.b_->CreateFMul(a.value_, b.value_)};
  }
  friend FloatExpr operator/(FloatExpr a, FloatExpr b) {
    return {*a.b_, a.b_->CreateFDiv(a.value_, b.value_)};
  }
  friend FloatExpr operator+(FloatExpr a, double b) { return a + a.Constant(b); }
  friend FloatExpr operator-(FloatExpr a, double b) { return a - a.Constant(b); }
  friend FloatExpr operator*(FloatExpr a, double b) { return a * a.Constant(b); }
  FloatExpr operator-() const { return {*b_, b_->CreateFNeg(value_)}; }

  // Ordered comparisons: false for NaN.
  llvm::Value* Less(double c) const { return b_->CreateFCmpOLT(value_, Constant(c).value_); }
  llvm::Value* Greater(double c) const { return b_->CreateFCmpOGT(value_, Constant(c).value_); }
  llvm::Value* Equals(double c) const { return b_->CreateFCmpOEQ(value_, Constant(c).value_); }

  FloatExpr Abs() const { return {*b_, b_->CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value_)}; }
  FloatExpr CopySign(FloatExpr sign) const {
    return {*b_, b_->CreateBinaryIntrinsic(llvm::Intrinsic::copysign, value_, sign.value_)};
  }
  // Returns the larger of the value and `low`; NaN stays NaN.
  FloatExpr AtLeast(double low) const { return If(Less(low), Constant(low), *this); }
  // Returns the value clamped to [low, high]; NaN stays NaN.
  FloatExpr Clamp(double low, double high) const {
    FloatExpr bounded = AtLeast(low);
    return If(bounded.Greater(high), Constant(high), bounded);
  }
  static FloatExpr If(llvm::Value* condition, FloatExpr a, FloatExpr b) {
    return {*a.b_, a.b_->CreateSelect(condition, a.value_, b.value_)};
  }

 private:
  Builder* b_;
  llvm::Value* value_;
};

// Returns the constant `value` of the type of `like`, which is an integer or a vector of integers.
inline llvm::Constant* IntLike(llvm::Value* like, int64_t value) {
  return llvm::ConstantInt::get(like->getType(), static_cast<uint64_t>(value), /*IsSigned=*/true);
}

// Generates a * b + c, with one rounding if the target has fused multiply-add, else with two.
inline FloatExpr MulAdd(const CodeContext& code, FloatExpr a, FloatExpr b, FloatExpr c) {
  if (!code.FusesMultiplyAdd()) return a * b + c;
  return {a.builder(), a.builder().CreateIntrinsic(llvm::Intrinsic::fma, {a.value()->getType()},
                                                   {a.value(), b.value(), c.value()})};
}

// Generates c[0] + c[1] * x + c[2] * x^2 + ..., where c are the coefficients.
inline FloatExpr Polynomial(const CodeContext& code, FloatExpr x,
                            std::initializer_list<double> coefficients) {
  const double* c = coefficients.end() - 1;
  FloatExpr sum = x.Constant(*c);
  while (c != coefficients.begin()) sum = MulAdd(code, sum, x, x.Constant(*--c));
  return sum;
}

}  // namespace acceld::kernels::cpu
