#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that moves matrix products from loops to after the loops. Where each iteration of a loop
// with a known number of iterations adds a matrix product to a carried sum and does not read the
// sum otherwise, like the gradient of weights in a scan, the pass collects the operands of all
// iterations in arrays and computes one product of these arrays after the loop, which also
// contracts over the iterations. So one large product replaces many small ones that each read and
// write the whole sum. Operands that are rows of an array from outside the loop need not be
// collected.
//
// Only for sums of f32 and f64, whose order of additions is free. It runs after hoist-invariants
// and swap-dots.
absl::StatusOr<ir::Module> SinkProducts(const ir::Module& module);

}  // namespace acceld::compiler
