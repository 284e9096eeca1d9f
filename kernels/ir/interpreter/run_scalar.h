#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// The value of one scalar operation: operands and result as bits, operands of type `dtype`
// (the last operand's type: select's condition is i1). Floats compute in double and round once.
uint64_t RunScalar(ScalarOp op, DType dtype, absl::Span<const uint64_t> operands,
                   DType result_dtype);

}  // namespace acceld::kernels
