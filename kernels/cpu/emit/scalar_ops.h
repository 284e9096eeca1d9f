#pragma once

#include "kernels/cpu/emit/code_context.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// `op` of operands that all have `operand_dtype` (the first of kSelect is an i1), giving
// `result_dtype`, at the builder's place. Semantics of scalar_ops.def; no operand makes the code
// trap. Types must have passed VerifyKernel.
llvm::Value* EmitScalarOp(CodeContext& code, Builder& b, ScalarOp op, ir::DType operand_dtype,
                          ir::DType result_dtype, llvm::ArrayRef<llvm::Value*> operands);

// The parts, by class of operand.
llvm::Value* EmitIntegerOp(CodeContext& code, Builder& b, ScalarOp op, ir::DType dtype,
                           llvm::ArrayRef<llvm::Value*> operands);
llvm::Value* EmitFloatOp(CodeContext& code, Builder& b, ScalarOp op, ir::DType dtype,
                         llvm::ArrayRef<llvm::Value*> operands);
llvm::Value* EmitConvert(CodeContext& code, Builder& b, ir::DType from, ir::DType to,
                         llvm::Value* value);

// Integers and i1 to a power, as an internal function: square and multiply.
llvm::Value* EmitIntegerPower(CodeContext& code, Builder& b, ir::DType dtype, llvm::Value* base,
                              llvm::Value* exponent);

}  // namespace acceld::kernels::cpu
