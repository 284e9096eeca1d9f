#pragma once

#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// Returns `kernel` with its sums of floats computed in blocks, which makes them more accurate. If a
// sum adds one element after the other, its error grows like the square root of its length, and
// faster if all elements have the same sign. Here a loop of kind kReduction that adds to a value
// that it carries, or to elements of scratch, becomes a loop over blocks. Each block is summed up
// from zero, with as few consecutive additions to the same sum as its vectors allow. Its sum is
// then added to the total as a compensated sum (the TwoSum of Knuth, The Art of Computer
// Programming, volume 2, section 4.2.2). The error of the total is about half a unit in the last
// place, whatever the length.
//
// The elements that remain after whole vectors are summed up separately as well, as they would
// otherwise be added to the large sum one by one. Infinities and NaN have the same effect as if
// elements were added in order. Blocks depend on the kernel alone, so that the results do not
// depend on the number of threads.
Kernel SumInBlocks(const Kernel& kernel);

}  // namespace acceld::kernels::cpu
