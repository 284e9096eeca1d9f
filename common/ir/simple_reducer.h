#pragma once

#include "common/ir/module.h"

namespace acceld::ir {

// Whether a reducer region consists of one associative and commutative operation for each of its
// results (sum, product, minimum, maximum, and, or, xor of accumulator and element). Only then may
// a loop over the reduced elements be split.
bool IsSimpleReducer(const Function& function, const Region& region);

}  // namespace acceld::ir
