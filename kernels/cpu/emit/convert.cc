#include "kernels/cpu/emit/math/narrow_floats.h"
#include "kernels/cpu/emit/scalar_ops.h"
#include "llvm/IR/Intrinsics.h"

namespace acceld::kernels::cpu {
namespace {

using ir::DType;
using llvm::Value;

Value* IntegerToFloat(Builder& b, DType from, Value* value, llvm::Type* to) {
  return ir::IsSigned(from) ? b.CreateSIToFP(value, to) : b.CreateUIToFP(value, to);
}

// From f32 or f64 to any integer type or i1.
Value* FloatToInteger(Builder& b, Value* value, DType to, llvm::Type* type) {
  if (to == DType::kI1) {
    return b.CreateFCmpUNE(value, llvm::ConstantFP::get(value->getType(), 0.0));
  }
  const llvm::Intrinsic::ID id =
      ir::IsSigned(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  return b.CreateIntrinsic(id, {type, value->getType()}, {value});
}

}  // namespace

Value* EmitConvert(CodeContext& code, Builder& b, DType from, DType to, Value* value) {
  if (from == to) return value;
  if (IsNarrowFloat(from)) {
    value = DecodeNarrowFloat(code, b, from, value);
    from = DType::kF32;
    if (to == DType::kF32) return value;
  }
  llvm::Type* type = code.RegisterType(to);
  const bool from_float = ir::IsFloat(from);
  if (IsNarrowFloat(to)) {
    // Integers go through f64, in which all up to 53 bits are exact.
    if (!from_float) value = IntegerToFloat(b, from, value, b.getDoubleTy());
    return EncodeNarrowFloat(code, b, to, value);
  }
  if (from_float) {
    return ir::IsFloat(to) ? b.CreateFPCast(value, type) : FloatToInteger(b, value, to, type);
  }
  if (ir::IsFloat(to)) return IntegerToFloat(b, from, value, type);
  if (to == DType::kI1) {
    return b.CreateICmpNE(value, llvm::ConstantInt::get(value->getType(), 0));
  }
  return b.CreateIntCast(value, type, ir::IsSigned(from));
}

}  // namespace acceld::kernels::cpu
