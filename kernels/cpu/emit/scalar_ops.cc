#include "kernels/cpu/emit/scalar_ops.h"

namespace acceld::kernels::cpu {

using ir::DType;

llvm::Value* EmitScalarOp(CodeContext& code, Builder& b, ScalarOp op, DType operand_dtype,
                          DType result_dtype, llvm::ArrayRef<llvm::Value*> operands) {
  if (op == ScalarOp::kConvert) {
    return EmitConvert(code, b, operand_dtype, result_dtype, operands[0]);
  }
  if (op == ScalarOp::kBitcast) {
    return b.CreateBitCast(operands[0], code.RegisterType(result_dtype));
  }
  if (op == ScalarOp::kSelect) return b.CreateSelect(operands[0], operands[1], operands[2]);
  if (operand_dtype == DType::kF32 || operand_dtype == DType::kF64) {
    return EmitFloatOp(code, b, op, operand_dtype, operands);
  }
  return EmitIntegerOp(code, b, op, operand_dtype, operands);
}

}  // namespace acceld::kernels::cpu
