#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that makes the regions of reductions, windows, scatters and sorts (OpFamily::kNest) depend
// only on the op's operands, so that each op can become a kernel of its own:
//
// - Scalar constants from outside are copied into the regions.
// - Constants that are too large for the code of a kernel are moved out of the regions.
// - An op whose regions use further values from outside is put into a fusion of kind kReduction,
//   which has these values as operands.
//
// Such a fusion also contains ops that are better computed within the kernel: the iota that a
// partial sort reads, the conversion of the updates of a scatter, and the constant initial value of
// a window. A scan, which is recognized by its constant initial value, is not put into a fusion
// here; it gets its own copy of the constant directly before it.
//
// The pass runs after all passes that move constants, and before fusion, which does not change
// existing fusions.
absl::StatusOr<ir::Module> IsolateNests(const ir::Module& module);

}  // namespace acceld::compiler
