#pragma once

#include "kernels/cpu/emit/code_context.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// `op` (exp, log, tanh, pow, ...) of values of `dtype` (f32 or f64), at the builder's place. The
// common f32 functions are branch-free polynomials, which LLVM inlines and vectorizes or which are
// expanded after vectorization (vector_math.h); all others call the run-time support.
llvm::Value* EmitMath(CodeContext& code, Builder& b, ScalarOp op, ir::DType dtype,
                      llvm::ArrayRef<llvm::Value*> operands);

using MathEmitter = llvm::Value* (*)(const CodeContext&, Builder&, llvm::Value*);

// The body of an f32 function.
struct MathBody {
  MathEmitter emit;
  bool takes_vectors;  // as well
};

// Of the function `name` ("exp"), which must have one.
MathBody MathBodyOf(llvm::StringRef name);

// The f32 bodies: from one operand to the result; but for sin and cos also from vectors to vectors.
// Accuracy is in ULP against the exact value, over
// the whole range, subnormal results included.
llvm::Value* EmitExpF32(const CodeContext& code, Builder& b, llvm::Value* x);       // 1.1
llvm::Value* EmitExpm1F32(const CodeContext& code, Builder& b, llvm::Value* x);     // 1.5
llvm::Value* EmitLogisticF32(const CodeContext& code, Builder& b, llvm::Value* x);  // 2.5
llvm::Value* EmitTanhF32(const CodeContext& code, Builder& b, llvm::Value* x);      // 2.5
llvm::Value* EmitLogF32(const CodeContext& code, Builder& b, llvm::Value* x);       // 1
llvm::Value* EmitLog1pF32(const CodeContext& code, Builder& b, llvm::Value* x);     // 1.5
llvm::Value* EmitSinF32(const CodeContext& code, Builder& b, llvm::Value* x);       // 2
llvm::Value* EmitCosF32(const CodeContext& code, Builder& b, llvm::Value* x);       // 2

}  // namespace acceld::kernels::cpu
