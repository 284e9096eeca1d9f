#include <limits>

#include "common/check.h"
#include "kernels/cpu/emit/math/float_expr.h"
#include "kernels/cpu/emit/math/math_functions.h"
#include "kernels/cpu/emit/scalar_ops.h"
#include "llvm/IR/Intrinsics.h"

namespace acceld::kernels::cpu {

using ir::DType;
using llvm::Value;

namespace {

// Generates 1 / sqrt(x). With fused multiply-add, which gives the rounding errors of the square
// root and of the quotient, the error is little more than half a unit in the last place.
FloatExpr Rsqrt(const CodeContext& code, FloatExpr x) {
  Builder& b = x.builder();
  FloatExpr root(b, b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x.value()));
  FloatExpr one = x.Constant(1.0), inverse = one / root;
  if (!code.FusesMultiplyAdd()) return inverse;
  FloatExpr of_root = MulAdd(code, -root, root, x);           // x - root^2
  FloatExpr of_quotient = MulAdd(code, -root, inverse, one);  // 1 - root inverse
  // With e = of_root and q = of_quotient, 1 / sqrt(root^2 + e) is about (1 - e inverse^2 / 2) /
  // root, and 1 / root is inverse (1 + q).
  FloatExpr correction = MulAdd(code, of_root * inverse * -0.5, inverse, of_quotient);
  FloatExpr result = MulAdd(code, inverse, correction, inverse);
  // For zero, infinity and negative x the correction is NaN.
  return FloatExpr::If(b.CreateFCmpORD(result.value(), result.value()), result, inverse);
}

}  // namespace

Value* EmitFloatOp(CodeContext& code, Builder& b, ScalarOp op, DType dtype,
                   llvm::ArrayRef<Value*> operands) {
  Value* x = operands[0];
  Value* y = operands.size() > 1 ? operands[1] : nullptr;
  const auto Unary = [&](llvm::Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, x); };
  switch (op) {
    case ScalarOp::kAbs:
      return Unary(llvm::Intrinsic::fabs);
    case ScalarOp::kAdd:
      return b.CreateFAdd(x, y);
    case ScalarOp::kCeil:
      return Unary(llvm::Intrinsic::ceil);
    case ScalarOp::kDivide:
      return b.CreateFDiv(x, y);
    case ScalarOp::kEq:
      return b.CreateFCmpOEQ(x, y);
    case ScalarOp::kFloor:
      return Unary(llvm::Intrinsic::floor);
    case ScalarOp::kFma:
      return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, operands[2]});
    case ScalarOp::kGe:
      return b.CreateFCmpOGE(x, y);
    case ScalarOp::kGt:
      return b.CreateFCmpOGT(x, y);
    case ScalarOp::kIsFinite:
      return b.CreateFCmpOLT(Unary(llvm::Intrinsic::fabs),
                             llvm::ConstantFP::getInfinity(x->getType()));
    case ScalarOp::kLe:
      return b.CreateFCmpOLE(x, y);
    case ScalarOp::kLt:
      return b.CreateFCmpOLT(x, y);
    case ScalarOp::kMax:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, x, y);
    case ScalarOp::kMin:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, x, y);
    case ScalarOp::kMultiply:
      return b.CreateFMul(x, y);
    case ScalarOp::kNe:
      return b.CreateFCmpUNE(x, y);
    case ScalarOp::kNegate:
      return b.CreateFNeg(x);
    case ScalarOp::kRoundAfz:
      return Unary(llvm::Intrinsic::round);
    case ScalarOp::kRoundEven:
      return Unary(llvm::Intrinsic::roundeven);
    case ScalarOp::kRsqrt:
      return Rsqrt(code, {b, x}).value();
    case ScalarOp::kSqrt:
      return Unary(llvm::Intrinsic::sqrt);
    case ScalarOp::kSubtract:
      return b.CreateFSub(x, y);
    case ScalarOp::kAcos:
    case ScalarOp::kAcosh:
    case ScalarOp::kAsin:
    case ScalarOp::kAsinh:
    case ScalarOp::kAtan:
    case ScalarOp::kAtan2:
    case ScalarOp::kAtanh:
    case ScalarOp::kCbrt:
    case ScalarOp::kCos:
    case ScalarOp::kCosh:
    case ScalarOp::kErf:
    case ScalarOp::kErfc:
    case ScalarOp::kExp:
    case ScalarOp::kExpm1:
    case ScalarOp::kLgamma:
    case ScalarOp::kLog:
    case ScalarOp::kLog1p:
    case ScalarOp::kLogistic:
    case ScalarOp::kPower:
    case ScalarOp::kRemainder:
    case ScalarOp::kSin:
    case ScalarOp::kSinh:
    case ScalarOp::kTan:
    case ScalarOp::kTanh:
      return EmitMath(code, b, op, dtype, operands);
    case ScalarOp::kAnd:
    case ScalarOp::kBitcast:
    case ScalarOp::kConvert:
    case ScalarOp::kCountLeadingZeros:
    case ScalarOp::kNot:
    case ScalarOp::kOr:
    case ScalarOp::kPopcnt:
    case ScalarOp::kSelect:
    case ScalarOp::kShiftLeft:
    case ScalarOp::kShiftRightArithmetic:
    case ScalarOp::kShiftRightLogical:
    case ScalarOp::kXor:
      break;
  }
  ACCELD_CHECK(false);  // VerifyKernel refuses bit operations on floats
}

}  // namespace acceld::kernels::cpu
