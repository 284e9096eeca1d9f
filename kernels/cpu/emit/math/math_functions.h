#pragma once

#include "kernels/cpu/emit/code_context.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// Generates `op` (exp, log, tanh, pow, ...) of values of `dtype` (f32 or f64) at the builder's
// insertion point. The common f32 functions are branch-free polynomials, which LLVM inlines and
// vectorizes, or which are expanded after vectorization (vector_math.h). All others are calls of
// the run-time support.
llvm::Value* EmitMath(CodeContext& code, Builder& b, ScalarOp op, ir::DType dtype,
                      llvm::ArrayRef<llvm::Value*> operands);

// Generates code that computes a function of one operand, and returns its result.
using MathEmitter = llvm::Value* (*)(const CodeContext&, Builder&, llvm::Value*);

// How to generate the body of an f32 math function.
struct MathBody {
  MathEmitter emit;
  bool takes_vectors;  // whether `emit` also takes vectors of f32
};

// Returns the body of the function `name`, such as "exp", which must be one of the polynomials.
MathBody MathBodyOf(llvm::StringRef name);

// The bodies of the f32 functions. All but sin and cos also take vectors. The comments give the
// accuracy in ULP relative to the exact value, over the whole range, subnormal results included.
llvm::Value* EmitExpF32(const CodeContext& code, Builder& b, llvm::Value* x);       // 1.1
llvm::Value* EmitExpm1F32(const CodeContext& code, Builder& b, llvm::Value* x);     // 1.5
llvm::Value* EmitLogisticF32(const CodeContext& code, Builder& b, llvm::Value* x);  // 2.5
llvm::Value* EmitTanhF32(const CodeContext& code, Builder& b, llvm::Value* x);      // 2.5
llvm::Value* EmitLogF32(const CodeContext& code, Builder& b, llvm::Value* x);       // 1
llvm::Value* EmitLog1pF32(const CodeContext& code, Builder& b, llvm::Value* x);     // 1.5
llvm::Value* EmitSinF32(const CodeContext& code, Builder& b, llvm::Value* x);       // 2
llvm::Value* EmitCosF32(const CodeContext& code, Builder& b, llvm::Value* x);       // 2

}  // namespace acceld::kernels::cpu
