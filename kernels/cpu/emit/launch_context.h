#pragma once

#include "kernels/cpu/emit/code_context.h"

namespace acceld::kernels::cpu {

// Places of LaunchContext's fields, in pointers.
enum class ContextField : unsigned {
  kArguments = 0,
  kResults = 1,
  kArena = 2,
  kConstants = 3,
  kCancelled = 5,
};

// The field of the LaunchContext at `context`: a pointer.
llvm::Value* LoadField(const CodeContext& code, Builder& b, llvm::Value* context,
                       ContextField field);

// An i32 CodeStatus: kCancelled once the flag at `cancelled`, the field of that name, is set.
llvm::Value* PollCancelled(Builder& b, llvm::Value* cancelled);

// The run-time support's function that shares out a loop's tiles, of which the frame holds pointers
// only.
llvm::FunctionCallee ParallelForPointers(CodeContext& code);

}  // namespace acceld::kernels::cpu
