#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Identities of arithmetic that hold bit for bit, NaN, infinities and signed zeros included: x * 1,
// x - 0, x + (-0), integer x + 0 and the like. After constant folding, which finds the constants.
absl::StatusOr<ir::Module> SimplifyAlgebra(const ir::Module& module);

}  // namespace acceld::compiler
