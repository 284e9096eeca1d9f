#pragma once

#include "absl/functional/function_ref.h"
#include "kernels/cpu/emit/code_context.h"

namespace acceld::kernels::cpu {

// Places of LaunchContext's fields, in pointers.
enum class ContextField : unsigned {
  kArguments = 0,
  kResults = 1,
  kArena = 2,
  kConstants = 3,
  kInterrupted = 5,
};

// The field of the LaunchContext at `context`: a pointer.
llvm::Value* LoadField(const CodeContext& code, Builder& b, llvm::Value* context,
                       ContextField field);

// Asks the run-time support what to do if the flag at `interrupted`, the field of that name, is
// set. `go_on_if_ok` is given the i32 CodeStatus of the answer; it emits what leaves the function
// unless that is kOk. Afterwards `b` stands where the run goes on.
void EmitPoll(CodeContext& code, Builder& b, llvm::Value* context, llvm::Value* interrupted,
              absl::FunctionRef<void(llvm::Value* status)> go_on_if_ok);

// The run-time support's function that shares out a loop's tiles, of which the frame holds pointers
// only.
llvm::FunctionCallee ParallelForPointers(CodeContext& code);

}  // namespace acceld::kernels::cpu
