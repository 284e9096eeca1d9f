#pragma once

#include "kernels/cpu/emit/code_context.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// Generates `op` at the builder's insertion point and returns its result, of `result_dtype`. The
// operands have `operand_dtype`, except for the first one of kSelect, which is an i1. The semantics
// are those of scalar_ops.def; no operand makes the code trap. The types must have passed
// VerifyKernel.
llvm::Value* EmitScalarOp(CodeContext& code, Builder& b, ScalarOp op, ir::DType operand_dtype,
                          ir::DType result_dtype, llvm::ArrayRef<llvm::Value*> operands);

// The implementations of EmitScalarOp for operands that are integers or i1, for f32 and f64, and
// for conversions.
llvm::Value* EmitIntegerOp(CodeContext& code, Builder& b, ScalarOp op, ir::DType dtype,
                           llvm::ArrayRef<llvm::Value*> operands);
llvm::Value* EmitFloatOp(CodeContext& code, Builder& b, ScalarOp op, ir::DType dtype,
                         llvm::ArrayRef<llvm::Value*> operands);
llvm::Value* EmitConvert(CodeContext& code, Builder& b, ir::DType from, ir::DType to,
                         llvm::Value* value);

// Generates a call of an internal function that raises integers or i1 to a power, by squaring and
// multiplying.
llvm::Value* EmitIntegerPower(CodeContext& code, Builder& b, ir::DType dtype, llvm::Value* base,
                              llvm::Value* exponent);

}  // namespace acceld::kernels::cpu
