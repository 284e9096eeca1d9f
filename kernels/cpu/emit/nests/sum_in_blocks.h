#pragma once

#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// The kernel with its sums of floats taken in blocks. A sum that adds one element after the other
// is off by an error that grows like the square root of its length, and more where all elements
// have one sign. Here a loop of kind kReduction that adds to what it carries, or to elements of
// scratch, becomes a loop over blocks: each block is summed up from zero, by as few additions in a
// row as its vectors allow, and then added to the sum together with what rounding has lost of the
// sum so far (the TwoSum of Knuth, The Art of Computer Programming, volume 2, section 4.2.2). The
// error is then about half a unit in the last place, whatever the length. What is left over behind
// whole vectors is summed up apart from them, too, as it would be added to the large sum element
// by element otherwise. Infinities and NaN come out as from adding in order. Blocks depend on the
// kernel alone, so results do not depend on the number of threads.
Kernel SumInBlocks(const Kernel& kernel);

}  // namespace acceld::kernels::cpu
