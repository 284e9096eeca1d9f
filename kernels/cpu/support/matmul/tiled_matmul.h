#pragma once

#include "common/status.h"
#include "kernels/cpu/cpu_module.h"
#include "kernels/cpu/matmul_key.h"
#include "kernels/cpu/support/matmul/matmul_blocks.h"

// Matrix products of f32 by register tiles instead of the library (oneDNN): small ones, which start
// faster this way, and those of few columns, where the library adds all products of an element one
// after the other. Tiles add short partial sums, which is more accurate.
namespace acceld::kernels::cpu {

// Returns whether tiles are better than the library for this product.
bool IsTiledMatmul(const MatmulKey& key);

// Computes a block that has all columns of a product for which IsTiledMatmul is true. lhs, rhs and
// out are the addresses of the block. Runs on the calling thread. Returns RESOURCE_EXHAUSTED when
// there is no memory to reorder operands, CANCELLED when the run has to end.
absl::Status RunTiledMatmul(const LaunchContext& context, const MatmulKey& key,
                            const MatmulBlock& block, const float* lhs, const float* rhs,
                            float* out);

}  // namespace acceld::kernels::cpu
