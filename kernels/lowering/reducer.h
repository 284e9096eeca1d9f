#pragma once

#include <vector>

#include "common/ir/simple_reducer.h"
#include "kernels/ir/build/combining.h"
#include "kernels/lowering/elements/element_emitter.h"

namespace acceld::kernels {

// The operation by which result `i` of a simple reducer (ir::IsSimpleReducer) combines.
ScalarOp CombiningOf(const ir::Region& simple_reducer, size_t i);

// The element that changes no other of this type when both are combined. Its parts have the type
// that narrow floats are computed in, which has infinities.
Element IdentityElement(KernelBuilder& b, ScalarOp combine, DType dtype);

// Whether a reducer region only compares and picks, as an argmax does: its accumulators are among
// its arguments, and most elements leave them as they are.
bool IsPickingReducer(const ir::Region& region);

// Whether the reduction is of the middle of several dimensions: blocks, the rows of one, columns.
// Unlike that of a row, whose dimensions come last, it leaves the columns.
bool ReducesBlocks(const ir::Function& function, const ir::Op& reduce);

// Whether any of these values differs from its fellow, bit by bit; both lists have the same types.
Var AnyDiffers(KernelBuilder& b, absl::Span<const Var> values, absl::Span<const Var> others);

// What the accumulators of reductions, side by side, are after the element at `index` of their
// operands.
absl::StatusOr<std::vector<Element>> ReduceElement(ElementEmitter& emitter,
                                                   absl::Span<const ir::Op* const> reduces,
                                                   const ElementIndex& index,
                                                   absl::Span<const Element> accumulators);

// Several values of an accumulation as one list of scalars for the builder's loops, and back.
std::vector<Var> Flatten(const std::vector<Element>& elements, absl::Span<const DType> dtypes);
std::vector<Element> Unflatten(absl::Span<const Var> vars, absl::Span<const DType> dtypes);

}  // namespace acceld::kernels
