#pragma once

#include "absl/functional/function_ref.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {

// Calls `visit` with each slice that the steps read or write, those of inner steps included.
void ForEachSlice(kernels::Steps& steps, absl::FunctionRef<void(kernels::Slice&)> visit);

}  // namespace acceld::compiler
