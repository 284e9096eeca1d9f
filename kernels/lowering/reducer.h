#pragma once

#include <vector>

#include "common/ir/simple_reducer.h"
#include "kernels/ir/build/combining.h"
#include "kernels/lowering/elements/element_emitter.h"

namespace acceld::kernels {

// The operation by which result `i` of a simple reducer (ir::IsSimpleReducer) combines an
// accumulator with an element.
ScalarOp CombiningOf(const ir::Region& simple_reducer, size_t i);

// The identity element of `combine` for elements of `dtype`, in the compute type of the dtype
// (which has infinities, unlike some narrow floats).
Element IdentityElement(KernelBuilder& b, ScalarOp combine, DType dtype);

// Whether the region of a reducer consists of comparisons, selects, minima, maxima, logical ops and
// constants only, as that of an argmax does. Such a reducer leaves its accumulators unchanged for
// most elements.
bool IsSelectingReducer(const ir::Region& region);

// Whether `reduce` reduces only dimension 1 of three or more: with the dimensions block, row in the
// block, and columns, it combines the rows of each block and keeps the columns. (Reductions of rows
// reduce the trailing dimensions.)
bool ReducesBlocks(const ir::Function& function, const ir::Op& reduce);

// Emits an i1: whether any of `values` differs, in its bits, from the value at the same position of
// `others`. The two lists have the same length and types.
Var AnyDiffers(KernelBuilder& b, absl::Span<const Var> values, absl::Span<const Var> others);

// Emits one step of all `reduces`, which have operands of one shape: combines the elements at
// `index` of their operands with the accumulators. `accumulators` and the result have the
// accumulators of all reductions, one reduction after the other.
absl::StatusOr<std::vector<Element>> ReduceElement(ElementEmitter& emitter,
                                                   absl::Span<const ir::Op* const> reduces,
                                                   const ElementIndex& index,
                                                   absl::Span<const Element> accumulators);

// Converts elements of the given dtypes to a list of real and imaginary parts, which loops can
// carry, and back.
std::vector<Var> Flatten(const std::vector<Element>& elements, absl::Span<const DType> dtypes);
std::vector<Element> Unflatten(absl::Span<const Var> vars, absl::Span<const DType> dtypes);

}  // namespace acceld::kernels
