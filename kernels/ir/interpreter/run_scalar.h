#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Computes one scalar operation. Operands and result are zero-extended bits. `dtype` is the type of
// the operands (of all but the first for kSelect). Floats are computed in double precision and
// rounded once.
uint64_t RunScalar(ScalarOp op, DType dtype, absl::Span<const uint64_t> operands,
                   DType result_dtype);

}  // namespace acceld::kernels
