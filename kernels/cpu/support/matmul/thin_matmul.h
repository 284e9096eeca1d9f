#pragma once

#include "common/status.h"
#include "kernels/cpu/cpu_module.h"
#include "kernels/cpu/matmul_key.h"
#include "kernels/cpu/support/matmul/matmul_blocks.h"

// Matrix products whose left operand has few rows: a vector or a few vectors times a matrix, as in
// decoding. Reading the right operand takes most of the time, so it is read once, as it lies in
// memory, instead of being packed as the library (oneDNN) does. Operands are f32 or bf16.
namespace acceld::kernels::cpu {

// Returns whether this is such a product.
bool IsThinMatmul(const MatmulKey& key);

// Returns whether the matrices of the right operand's batch lie side by side in memory: next to a
// row or a column of one matrix is that of the next matrix.
bool IsInterleaved(const MatmulKey& key);

// Returns how many columns of the output are worth a task of their own, which reads that part of
// the right operand, for a product for which IsThinMatmul is true.
int64_t ThinMatmulColumns(const MatmulKey& key);

// Computes a block that has all rows of a product for which IsThinMatmul is true. `lhs`, `rhs` and
// `out` are the addresses of the block. Runs on the calling thread. Returns RESOURCE_EXHAUSTED when
// there is no memory to reorder the left operand, CANCELLED when the run has to end.
absl::Status RunThinMatmul(const LaunchContext& context, const MatmulKey& key,
                           const MatmulBlock& block, const void* lhs, const void* rhs, void* out);

}  // namespace acceld::kernels::cpu
