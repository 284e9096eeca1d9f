#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that applies identities of arithmetic that hold bit for bit, also for NaN, infinities and
// signed zeros: it replaces x * 1, x - 0, x + (-0), integer x + 0 and the like by x. It runs after
// constant folding, which finds the constants.
absl::StatusOr<ir::Module> SimplifyAlgebra(const ir::Module& module);

}  // namespace acceld::compiler
