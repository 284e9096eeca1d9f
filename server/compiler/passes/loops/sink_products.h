#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Where a loop of known turns adds a matrix product to a sum in each turn and reads the sum nowhere
// else, as gradients of weights do in a scan, the operands of all turns are put beside each other
// and multiplied once behind the loop, which contracts over the turns too: one large product
// instead of many small ones that each read and write the whole sum. Operands that are rows of an
// array from outside the loop lie so already. For sums in f32 and f64, whose order of summation is
// free. After hoist-invariants and swap-dots.
absl::StatusOr<ir::Module> SinkProducts(const ir::Module& module);

}  // namespace acceld::compiler
