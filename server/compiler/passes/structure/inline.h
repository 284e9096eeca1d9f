#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that replaces calls of functions by the functions' bodies. It inlines small functions,
// functions with a single call, functions whose copies together stay small, and all functions that
// are called within the regions of reductions and the like (OpFamily::kNest), because a kernel
// cannot call functions. A large function with many calls stays a function and is compiled once.
// Functions without calls are removed. The pass runs early, because later passes optimize within
// one body only. Returns RESOURCE_EXHAUSTED if the copies that are required make the program too
// large.
absl::StatusOr<ir::Module> InlineCalls(const ir::Module& module);

// Replaces all calls, so that the entry is the only function; not a pass of the pipeline. The error
// is that of InlineCalls.
absl::StatusOr<ir::Module> InlineAllCalls(const ir::Module& module);

}  // namespace acceld::compiler
