#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Calls `visit` once for each use of a value by the statement or by a statement inside it, so
// several times for a value that has several uses.
void ForEachUse(const Statement& statement, absl::FunctionRef<void(Var)> visit);

// Returns the number of uses of each value of the kernel, indexed by Var.
std::vector<int> CountUses(const Kernel& kernel);

}  // namespace acceld::kernels
