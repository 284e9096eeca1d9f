#pragma once

#include "kernels/cpu/emit/code_context.h"
#include "kernels/ir/kernel.h"

// Maximum and minimum of floats by signed integers of the same size, called keys. The largest key
// (for the operation kMax) or the smallest one (for kMin) is that of the float that IEEE 754
// defines as the maximum or minimum: -0 is less than +0, and NaN of either sign wins. A key is the
// float's encoding, mapped such that integers compare as the floats do, plus an offset that moves
// the NaNs of both signs to the winning end. x86's own instructions for the extremum of two floats
// treat NaN and the signs of zeros differently. A loop that carries keys needs four instructions
// per element, and the dependence of an iteration on the previous one has a latency of only one
// cycle.
namespace acceld::kernels::cpu {

// Returns whether keys are worth it on the target, which is so on x86.
bool ShouldCarryKeys(const CodeContext& code);

// Generates the key of the float `value` for `op`, which is kMax or kMin.
llvm::Value* KeyOf(Builder& b, ScalarOp op, llvm::Value* value);
// Generates the float of type `type` that has this key for `op`.
llvm::Value* ValueOfKey(Builder& b, ScalarOp op, llvm::Value* key, llvm::Type* type);

}  // namespace acceld::kernels::cpu
