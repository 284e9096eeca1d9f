#pragma once

#include <cstdint>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Returns the low BitsOf(dtype) bits of `bits`, zero-extended.
uint64_t TruncateToWidth(DType dtype, uint64_t bits);
// Returns the low BitsOf(dtype) bits of `bits`, sign-extended if the dtype is signed, else
// zero-extended.
int64_t ExtendFromWidth(DType dtype, uint64_t bits);

// Computes `op` on constants of type `dtype`, an integer type or i1, as scalar_ops.def specifies it
// (no operation traps). Operands and result are zero-extended bits. Returns nullopt for kSelect,
// and for operations on floats or with a float result.
absl::optional<uint64_t> FoldInteger(ScalarOp op, DType dtype, absl::Span<const uint64_t> operands,
                                     DType result_dtype);

}  // namespace acceld::kernels
