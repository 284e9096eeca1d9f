#pragma once

#include "common/status.h"
#include "kernels/cpu/cpu_module.h"
#include "kernels/cpu/matmul_key.h"
#include "kernels/cpu/support/matmul/matmul_blocks.h"

// Matrix products of f32 by tiles in registers: small ones, which take less time to start so than
// in the library, and those of few columns, for which it adds all products of an element in a row.
// This adds short sums of them, which loses less.
namespace acceld::kernels::cpu {

bool IsTiledMatmul(const MatmulKey& key);

// Computes a block that has all columns of such a product. lhs, rhs and out are those of the block.
// RESOURCE_EXHAUSTED when there is no memory to reorder rhs; CANCELLED when the execution is to
// end.
absl::Status RunTiledMatmul(const LaunchContext& context, const MatmulKey& key,
                            const MatmulBlock& block, const float* lhs, const float* rhs,
                            float* out);

}  // namespace acceld::kernels::cpu
