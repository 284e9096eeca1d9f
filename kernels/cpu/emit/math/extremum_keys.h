#pragma once

#include "kernels/cpu/emit/code_context.h"
#include "kernels/ir/kernel.h"

// Floats as signed integers of their size, of which the largest or the smallest (`op` is kMax or
// kMin) is that of the floats as IEEE 754 has it: the order of their encodings, where -0 is less
// than +0, turned so that NaN of either sign is beyond what is sought. x86's own instruction for
// the extremum of two floats does not know about NaN and the signs of zeros; a loop that carries
// keys needs four instructions for an element, none of which waits for another iteration for longer
// than one cycle.
namespace acceld::kernels::cpu {

bool PaysToCarryKeys(const CodeContext& code);

llvm::Value* KeyOf(Builder& b, ScalarOp op, llvm::Value* value);
// `type` is a float's.
llvm::Value* ValueOfKey(Builder& b, ScalarOp op, llvm::Value* key, llvm::Type* type);

}  // namespace acceld::kernels::cpu
