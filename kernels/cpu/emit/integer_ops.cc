#include "common/check.h"
#include "kernels/cpu/emit/scalar_ops.h"
#include "llvm/IR/Intrinsics.h"

namespace acceld::kernels::cpu {
namespace {

using ir::DType;
using llvm::Value;

// Operands for a division that cannot trap: where b is 0, or MIN / -1, the divisor is 1.
struct SafeDivision {
  Value* by_zero;
  Value* divisor;
};

SafeDivision MakeSafe(Builder& b, bool is_signed, Value* dividend, Value* divisor) {
  llvm::Type* type = divisor->getType();
  const unsigned bits = type->getIntegerBitWidth();
  Value* by_zero = b.CreateICmpEQ(divisor, llvm::ConstantInt::get(type, 0));
  Value* unsafe = by_zero;
  if (is_signed) {
    Value* minimum = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
    Value* overflows = b.CreateAnd(b.CreateICmpEQ(dividend, minimum),
                                   b.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)));
    unsafe = b.CreateOr(by_zero, overflows);
  }
  return {by_zero, b.CreateSelect(unsafe, llvm::ConstantInt::get(type, 1), divisor)};
}

Value* Divide(Builder& b, bool is_signed, Value* x, Value* y) {
  const SafeDivision safe = MakeSafe(b, is_signed, x, y);
  Value* quotient = is_signed ? b.CreateSDiv(x, safe.divisor) : b.CreateUDiv(x, safe.divisor);
  return b.CreateSelect(safe.by_zero, llvm::Constant::getAllOnesValue(x->getType()), quotient);
}

Value* Remainder(Builder& b, bool is_signed, Value* x, Value* y) {
  const SafeDivision safe = MakeSafe(b, is_signed, x, y);
  Value* rest = is_signed ? b.CreateSRem(x, safe.divisor) : b.CreateURem(x, safe.divisor);
  return b.CreateSelect(safe.by_zero, x, rest);
}

// The amount is unsigned; one at or past the width is defined here, unlike in LLVM.
Value* Shift(Builder& b, ScalarOp op, Value* x, Value* amount) {
  llvm::Type* type = x->getType();
  const unsigned bits = type->getIntegerBitWidth();
  Value* last = llvm::ConstantInt::get(type, bits - 1);
  if (op == ScalarOp::kShiftRightArithmetic) {
    return b.CreateAShr(x, b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, last));
  }
  Value* inside = b.CreateICmpULE(amount, last);
  Value* shifted = op == ScalarOp::kShiftLeft ? b.CreateShl(x, amount) : b.CreateLShr(x, amount);
  return b.CreateSelect(inside, shifted, llvm::ConstantInt::get(type, 0));
}

}  // namespace

Value* EmitIntegerPower(CodeContext& code, Builder& b, DType dtype, Value* base, Value* exponent) {
  llvm::Type* type = base->getType();
  const std::string name = "pow." + std::string(ir::DTypeName(dtype));
  llvm::Function* function = code.FindFunction(name);
  if (function == nullptr) {
    function = code.NewFunction(name, llvm::FunctionType::get(type, {type, type}, false));
    function->setDoesNotAccessMemory();
    function->addFnAttr(llvm::Attribute::WillReturn);
    auto* entry = llvm::BasicBlock::Create(code.llvm(), "entry", function);
    auto* loop = llvm::BasicBlock::Create(code.llvm(), "loop", function);
    auto* done = llvm::BasicBlock::Create(code.llvm(), "done", function);
    Value* one = llvm::ConstantInt::get(type, 1);
    Value* zero = llvm::ConstantInt::get(type, 0);
    Value* x = function->getArg(0);
    Value* n = function->getArg(1);

    // Each iteration uses the lowest remaining bit of the exponent. As an unsigned number, the
    // exponent is zero after at most `width` iterations.
    Builder in(entry);
    in.CreateBr(loop);
    in.SetInsertPoint(loop);
    llvm::PHINode* rest = in.CreatePHI(type, 2);
    llvm::PHINode* square = in.CreatePHI(type, 2);
    llvm::PHINode* product = in.CreatePHI(type, 2);
    Value* odd = in.CreateTrunc(rest, in.getInt1Ty());
    Value* next_product = in.CreateSelect(odd, in.CreateMul(product, square), product);
    Value* next_rest = type->isIntegerTy(1) ? zero : in.CreateLShr(rest, one);
    Value* next_square = in.CreateMul(square, square);
    rest->addIncoming(n, entry);
    rest->addIncoming(next_rest, loop);
    square->addIncoming(x, entry);
    square->addIncoming(next_square, loop);
    product->addIncoming(one, entry);
    product->addIncoming(next_product, loop);
    in.CreateCondBr(in.CreateICmpEQ(next_rest, zero), done, loop);

    in.SetInsertPoint(done);
    Value* result = next_product;
    if (ir::IsSigned(dtype)) {
      Value* minus_one = llvm::Constant::getAllOnesValue(type);
      Value* is_odd = in.CreateTrunc(n, in.getInt1Ty());
      Value* inverse = in.CreateSelect(in.CreateICmpEQ(x, one), one, zero);
      inverse = in.CreateSelect(in.CreateICmpEQ(x, minus_one),
                                in.CreateSelect(is_odd, minus_one, one), inverse);
      result = in.CreateSelect(in.CreateICmpSLT(n, zero), inverse, result);
    }
    in.CreateRet(result);
  }
  return b.CreateCall(function, {base, exponent});
}

Value* EmitIntegerOp(CodeContext& code, Builder& b, ScalarOp op, DType dtype,
                     llvm::ArrayRef<Value*> operands) {
  const bool is_signed = ir::IsSigned(dtype);
  const bool is_bool = dtype == DType::kI1;
  Value* x = operands[0];
  Value* y = operands.size() > 1 ? operands[1] : nullptr;
  const auto Compare = [&](llvm::CmpInst::Predicate of_signed,
                           llvm::CmpInst::Predicate of_unsigned) {
    return b.CreateICmp(is_signed ? of_signed : of_unsigned, x, y);
  };
  const auto Pick = [&](llvm::Intrinsic::ID of_signed, llvm::Intrinsic::ID of_unsigned) {
    return b.CreateBinaryIntrinsic(is_signed ? of_signed : of_unsigned, x, y);
  };
  switch (op) {
    case ScalarOp::kAbs:
      return is_signed ? b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, b.getFalse()) : x;
    case ScalarOp::kAdd:
      return is_bool ? b.CreateOr(x, y) : b.CreateAdd(x, y);
    case ScalarOp::kAnd:
      return b.CreateAnd(x, y);
    case ScalarOp::kCountLeadingZeros:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, b.getFalse());
    case ScalarOp::kDivide:
      return Divide(b, is_signed, x, y);
    case ScalarOp::kEq:
      return b.CreateICmpEQ(x, y);
    case ScalarOp::kGe:
      return Compare(llvm::CmpInst::ICMP_SGE, llvm::CmpInst::ICMP_UGE);
    case ScalarOp::kGt:
      return Compare(llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_UGT);
    case ScalarOp::kLe:
      return Compare(llvm::CmpInst::ICMP_SLE, llvm::CmpInst::ICMP_ULE);
    case ScalarOp::kLt:
      return Compare(llvm::CmpInst::ICMP_SLT, llvm::CmpInst::ICMP_ULT);
    case ScalarOp::kMax:
      return Pick(llvm::Intrinsic::smax, llvm::Intrinsic::umax);
    case ScalarOp::kMin:
      return Pick(llvm::Intrinsic::smin, llvm::Intrinsic::umin);
    case ScalarOp::kMultiply:
      return b.CreateMul(x, y);
    case ScalarOp::kNe:
      return b.CreateICmpNE(x, y);
    case ScalarOp::kNegate:
      return b.CreateNeg(x);
    case ScalarOp::kNot:
      return b.CreateNot(x);
    case ScalarOp::kOr:
      return b.CreateOr(x, y);
    case ScalarOp::kPopcnt:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x);
    case ScalarOp::kPower:
      return EmitIntegerPower(code, b, dtype, x, y);
    case ScalarOp::kRemainder:
      return Remainder(b, is_signed, x, y);
    case ScalarOp::kShiftLeft:
    case ScalarOp::kShiftRightArithmetic:
    case ScalarOp::kShiftRightLogical:
      return Shift(b, op, x, y);
    case ScalarOp::kSubtract:
      return b.CreateSub(x, y);
    case ScalarOp::kXor:
      return b.CreateXor(x, y);
    case ScalarOp::kAcos:
    case ScalarOp::kAcosh:
    case ScalarOp::kAsin:
    case ScalarOp::kAsinh:
    case ScalarOp::kAtan:
    case ScalarOp::kAtan2:
    case ScalarOp::kAtanh:
    case ScalarOp::kBitcast:
    case ScalarOp::kCbrt:
    case ScalarOp::kCeil:
    case ScalarOp::kConvert:
    case ScalarOp::kCos:
    case ScalarOp::kCosh:
    case ScalarOp::kErf:
    case ScalarOp::kErfc:
    case ScalarOp::kExp:
    case ScalarOp::kExpm1:
    case ScalarOp::kFloor:
    case ScalarOp::kFma:
    case ScalarOp::kIsFinite:
    case ScalarOp::kLgamma:
    case ScalarOp::kLog:
    case ScalarOp::kLog1p:
    case ScalarOp::kLogistic:
    case ScalarOp::kRoundAfz:
    case ScalarOp::kRoundEven:
    case ScalarOp::kRsqrt:
    case ScalarOp::kSelect:
    case ScalarOp::kSin:
    case ScalarOp::kSinh:
    case ScalarOp::kSqrt:
    case ScalarOp::kTan:
    case ScalarOp::kTanh:
      break;
  }
  ACCELD_CHECK(false);  // VerifyKernel refuses float operations on integers
}

}  // namespace acceld::kernels::cpu
