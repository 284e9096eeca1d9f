#pragma once

#include "kernels/cpu/emit/code_context.h"

// The floats that live as their encoding: f16, bf16 and the 8-bit formats (FloatFormat).
namespace acceld::kernels::cpu {

// The f32 value of `bits`, exact.
llvm::Value* DecodeNarrowFloat(CodeContext& code, Builder& b, ir::DType dtype, llvm::Value* bits);

// The encoding nearest to `value` (an f32 or f64), rounded once to nearest even.
llvm::Value* EncodeNarrowFloat(CodeContext& code, Builder& b, ir::DType dtype, llvm::Value* value);

}  // namespace acceld::kernels::cpu
