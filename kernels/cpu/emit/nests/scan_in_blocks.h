#pragma once

#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// The kernel with its running sums of floats taken in blocks. A loop of kind kScan that adds each
// element to what it carries, or to elements of scratch, is off by an error that grows with the
// number of elements. Here it becomes a loop over blocks of some iterations: within a block the
// running sum begins at zero, and what it stores is that added to the sum of all blocks before,
// of which no rounding is lost (exact_sums.h). Products and other combinations stay.
Kernel ScanInBlocks(const Kernel& kernel);

}  // namespace acceld::kernels::cpu
