#pragma once

#include <cstdint>

#include "kernels/cpu/cpu_module.h"
#include "kernels/cpu/matmul_key.h"

// Matrix products of bf16 and of bytes on processors with a matrix unit (amx_tiles.h). It
// multiplies so fast that most of the time would go into packing the operands. Here each task packs
// a part of its rows and columns, multiplies them while they are in the caches, and goes on.
namespace acceld::kernels::cpu {

// Returns whether this machine computes the product this way.
bool IsAmxMatmul(const MatmulKey& key);

// Computes a product for which IsAmxMatmul is true, on the threads of the launch. Sums of bf16 are
// added up in f32: at most 512 products one after the other, then the sums of these. Returns a
// CodeStatus: kFailed when there is no memory for the packed operands, which it records as
// RESOURCE_EXHAUSTED, kCancelled when the run has to end.
int32_t RunAmxMatmul(const LaunchContext& context, const MatmulKey& key, const void* lhs,
                     const void* rhs, void* out);

}  // namespace acceld::kernels::cpu
