#pragma once

#include <cstdint>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// The low BitsOf(dtype) bits; and those bits sign- or zero-extended, as the dtype says.
uint64_t TruncateToWidth(DType dtype, uint64_t bits);
int64_t ExtendFromWidth(DType dtype, uint64_t bits);

// The value (as bits of `result_dtype`) of `op` on constant integers or i1 of type `dtype`; nullopt
// for what is not an integer operation. `operands` are zero-extended bits. Exactly the meaning that
// scalar_ops.def states: nothing traps.
absl::optional<uint64_t> FoldInteger(ScalarOp op, DType dtype, absl::Span<const uint64_t> operands,
                                     DType result_dtype);

}  // namespace acceld::kernels
