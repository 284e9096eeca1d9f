#pragma once

#include "absl/types/optional.h"
#include "common/ir/module.h"

namespace acceld::compiler::spmd {

// Returns the op that a region of two scalars applies to them, if it is one that is associative and
// commutative (add, multiply, minimum, maximum, and, or, xor); nullopt for any other region.
absl::optional<ir::OpKind> CombinerOf(const ir::Region& region);

// Whether sums and products may be computed in parts of this type. Floats of 8 bits have too few
// values: a part overflows where the whole does not.
bool MayHaveParts(ir::DType dtype);

// Whether each part of the elements may be reduced separately and the results then be combined by
// the same region: a reduction of one input by such an op, from an initial value that may be
// combined several times. `initial` is that value if it is a constant, else nullptr.
bool IsSplittableReduction(const ir::Function& function, const ir::Op& reduce,
                           const ir::Literal* initial);

// Whether the updates may be scattered in parts, each into an operand of its own, and the results
// then be combined by the same region: a scatter of one input with such an op. If it is not
// idempotent, zeros are neutral, and all operands but one must be zeros.
bool IsSplittableScatter(const ir::Function& function, const ir::Op& scatter);
// Whether a value may be combined with the same one several times by such an op.
bool IsIdempotent(ir::OpKind combiner);

}  // namespace acceld::compiler::spmd
