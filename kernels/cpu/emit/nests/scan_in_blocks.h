#pragma once

#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// Returns `kernel` with its running sums of floats computed in blocks, which makes them more
// accurate. In a loop of kind kScan that adds each element to a value that it carries, or to
// elements of scratch, the error grows with the number of elements. Here the loop becomes a loop
// over blocks of some iterations. Within a block the running sum begins at zero. What is stored is
// the block's running sum plus the sum of all blocks before, which is a compensated sum
// (math/compensated_sums.h). Scans with other operations remain as they are.
Kernel ScanInBlocks(const Kernel& kernel);

}  // namespace acceld::kernels::cpu
