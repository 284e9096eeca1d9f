#pragma once

#include "common/ir/module.h"

namespace acceld::ir {

// Whether a reducer region is one associative and commutative operation for each of its results
// (sum, product, minimum, maximum, and, or, xor of accumulator and element): only then may a loop
// over it be split.
//
// It also decides about the padding of reduce_window, which by the StableHLO specification is of
// initial values and reduced with the rest. That changes nothing where the initial value is
// neutral, as JAX's are, but a longer reducer may be unable to combine two of them: the complex
// log(exp(a) + exp(b)) makes NaN of minus infinity and itself. XLA leaves padding out; of reducers
// that are not simple, so do we.
bool IsSimpleReducer(const Function& function, const Region& region);

}  // namespace acceld::ir
