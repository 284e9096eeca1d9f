#pragma once

#include <memory>

#include "common/status.h"
#include "kernels/cpu/matmul_key.h"
#include "kernels/cpu/support/matmul/matmul_primitives.h"

// Products of bf16 and f16 whose sums have an odd number of terms. The library (oneDNN) adds two
// such terms at once. Unless the operands are dense, it completes an odd number of terms by one
// that it multiplies by zero; since infinity times zero is NaN, sums that should be infinite become
// NaN. Here the library gets one term less, and the last one is added to its sums in f32.
namespace acceld::kernels::cpu {

// Returns whether this is such a product.
bool IsOddDepthMatmul(const MatmulKey& key);

// Prepares a product for which IsOddDepthMatmul is true. Adds to the previous contents of f32
// outputs only. UNIMPLEMENTED if the library does not support the product.
absl::StatusOr<std::shared_ptr<const MatmulPrimitive>> MakeOddDepthMatmul(
    const MatmulKey& key, const MatmulOutput& output);

}  // namespace acceld::kernels::cpu
