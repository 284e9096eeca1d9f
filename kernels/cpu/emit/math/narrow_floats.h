#pragma once

#include "kernels/cpu/emit/code_context.h"

// Conversions of the floats that generated code holds as their encoding: f16, bf16 and the formats
// of at most 8 bits (ir::FloatFormat).
namespace acceld::kernels::cpu {

// Generates the f32 value of the encoding `bits`, which is exact.
llvm::Value* DecodeNarrowFloat(CodeContext& code, Builder& b, ir::DType dtype, llvm::Value* bits);

// Generates the encoding nearest to `value`, an f32 or f64, rounded once, ties to even.
llvm::Value* EncodeNarrowFloat(CodeContext& code, Builder& b, ir::DType dtype, llvm::Value* value);

}  // namespace acceld::kernels::cpu
