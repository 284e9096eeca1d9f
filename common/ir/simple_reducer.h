#pragma once

#include "common/ir/module.h"

namespace acceld::ir {

// Whether a reducer region is one associative and commutative operation for each of its results
// (sum, product, minimum, maximum, and, or, xor of accumulator and element): only then may a loop
// over it be split.
bool IsSimpleReducer(const Function& function, const Region& region);

}  // namespace acceld::ir
