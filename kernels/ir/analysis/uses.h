#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Calls `visit` for each value that a statement, or what is inside it, uses: as often as it does.
void ForEachUse(const Statement& statement, absl::FunctionRef<void(Var)> visit);

// How often each value of a kernel is used, by Var.
std::vector<int> CountUses(const Kernel& kernel);

}  // namespace acceld::kernels
