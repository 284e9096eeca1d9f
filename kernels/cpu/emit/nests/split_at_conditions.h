#pragma once

#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// Returns `kernel` with innermost parallel loops divided where a comparison of the induction
// variable with a constant changes its outcome (index set splitting). Such comparisons come from
// ops whose elements have different sources, such as concatenations, pads and rolls. In each part
// of the loop the outcome is known, and only one branch remains: its loads are consecutive, so that
// the part is vectorized without masks. Short loops and loops with many such comparisons stay as
// they are, as each part is another copy of the body.
Kernel SplitAtConditions(const Kernel& kernel);

}  // namespace acceld::kernels::cpu
