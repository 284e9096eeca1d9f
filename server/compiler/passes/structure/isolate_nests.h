#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Makes the regions of reductions, windows, scatters and sorts functions of what they are given:
// scalar constants from around are copied into them, large constants leave them, and an op whose
// regions then use other values from around goes into a reduction fusion that takes them as
// operands. A selection of the first few elements takes along the numbers 0, 1, ... that it reads,
// a scatter the conversion of its updates, a window over a constant initial value takes that; a
// scan, which is recognized by it, gets it right before itself and is left to fusion. After
// everything that moves constants; before fusion, which leaves fusions alone.
absl::StatusOr<ir::Module> IsolateNests(const ir::Module& module);

}  // namespace acceld::compiler
