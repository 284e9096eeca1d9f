#pragma once

#include "absl/functional/function_ref.h"
#include "kernels/cpu/emit/code_context.h"

namespace acceld::kernels::cpu {

// The offsets of the fields of LaunchContext that generated code reads, in units of a pointer's
// size.
enum class ContextField : unsigned {
  kArguments = 0,
  kResults = 1,
  kArena = 2,
  kConstants = 3,
  kInterrupted = 5,
};

// Generates a load of a field, which is a pointer, from the LaunchContext at `context`.
llvm::Value* LoadField(const CodeContext& code, Builder& b, llvm::Value* context,
                       ContextField field);

// Generates a poll: if the flag at `interrupted` (LaunchContext::interrupted) is set, the run-time
// support is called, which blocks while the run has to pause. `go_on_if_ok` gets the result of that
// call, an i32 CodeStatus, and has to generate code that leaves the function unless it is kOk.
// Afterwards `b` inserts code where the run continues.
void EmitPoll(CodeContext& code, Builder& b, llvm::Value* context, llvm::Value* interrupted,
              absl::FunctionRef<void(llvm::Value* status)> go_on_if_ok);

// Returns the run-time support's function that runs a parallel loop with a frame of pointers
// (ParallelForPointersFunction).
llvm::FunctionCallee ParallelForPointers(CodeContext& code);

}  // namespace acceld::kernels::cpu
