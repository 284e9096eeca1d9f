#pragma once

#include "common/ir/emitter.h"

// Scatter and gather are each other's transposes: with the same indices, one writes what the other
// reads.
namespace acceld::ir {

// Reads what a scatter with these indices and attributes would write: from `operand`, the elements
// at the places of updates of the shape `update_dims`. Places outside the operand, which a scatter
// leaves out, read as elements inside.
ValueId ReadBack(Emitter& e, ValueId operand, ValueId indices, const ScatterAttributes& attributes,
                 const Dims& update_dims);

// Adds `updates`, of the shape of the gather's result, to `operand` where the gather reads.
ValueId AddBack(Emitter& e, ValueId operand, ValueId indices, ValueId updates,
                const GatherAttributes& attributes);

// Adds a scatter of one tensor, whose region combines the old and the new element by `kind`;
// without it, the new element replaces the old one.
ValueId Scatter(Emitter& e, ValueId operand, ValueId indices, ValueId updates,
                const ScatterAttributes& attributes, absl::optional<OpKind> kind);

}  // namespace acceld::ir
