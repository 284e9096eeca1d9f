#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that moves matrix products out of loops. Where the iterations of a loop go through an
// array from outside and each multiplies its slice of the array by a matrix that does not change,
// as recurrent networks do with their inputs, the pass multiplies the whole array once before the
// loop, and each iteration reads its slice of the product. It runs after hoist-invariants, which
// shows what does not change.
absl::StatusOr<ir::Module> HoistProducts(const ir::Module& module);

}  // namespace acceld::compiler
