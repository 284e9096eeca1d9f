#pragma once

#include <cstdint>

#include "common/ir/types/dtype.h"

// Loops over the elements of a row, in f32. The rows of one call must not overlap.
namespace acceld::kernels::cpu {

// Converts `count` floats of type `dtype`, the first at `from` and each `stride` elements after the
// one before, to f32.
void WidenRow(ir::DType dtype, const void* from, int64_t stride, int64_t count, float* to);

// Converts `count` consecutive bf16, given by their bits, to f32.
void WidenBf16(const uint16_t* from, int64_t count, float* to);

// Adds `factor` times each element of `row` to the elements of `sums`.
void AddMultiple(float factor, const float* row, int64_t count, float* sums);

// Rounds `count` elements to floats of type `dtype`, to nearest even.
void RoundRow(ir::DType dtype, const float* from, int64_t count, void* to);

}  // namespace acceld::kernels::cpu
