#pragma once

#include <vector>

#include "kernels/lowering/element_emitter.h"

namespace acceld::kernels {

// Whether a reducer region is one associative and commutative operation for each of its results
// (sum, product, minimum, maximum, and, or, xor of accumulator and element): only then may a loop
// over it be split.
bool IsSimpleReducer(const ir::Function& function, const ir::Region& region);

// Several values of an accumulation as one list of scalars for the builder's loops, and back.
std::vector<Var> Flatten(const std::vector<Element>& elements, absl::Span<const DType> dtypes);
std::vector<Element> Unflatten(absl::Span<const Var> vars, absl::Span<const DType> dtypes);

}  // namespace acceld::kernels
