#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Where each turn of a loop multiplies a few rows of an array from outside, which its turns go
// through, with a matrix that stays the same, as recurrent networks do with their inputs, the whole
// array is multiplied once before the loop and each turn takes its rows of the product. After
// hoist-invariants.
absl::StatusOr<ir::Module> HoistProducts(const ir::Module& module);

}  // namespace acceld::compiler
