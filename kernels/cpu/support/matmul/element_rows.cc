#include "kernels/cpu/support/matmul/element_rows.h"

#include <bit>

#include "common/ir/types/element.h"
#include "kernels/cpu/support/routines/wide_vectors.h"

namespace acceld::kernels::cpu {
namespace {

ACCELD_WIDE_VECTORS
void RoundToBf16(const float* __restrict from, int64_t count, uint16_t* __restrict to) {
  for (int64_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<uint32_t>(from[i]);
    const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
    const uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
    to[i] = static_cast<uint16_t>((is_nan ? bits | 0x400000 : rounded) >> 16);
  }
}

}  // namespace

void WidenRow(ir::DType dtype, const void* from, int64_t stride, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<float>(ir::ReadFloat(dtype, from, i * stride));
  }
}

ACCELD_WIDE_VECTORS
void WidenBf16(const uint16_t* __restrict from, int64_t count, float* __restrict to) {
  for (int64_t i = 0; i < count; ++i) to[i] = std::bit_cast<float>(uint32_t{from[i]} << 16);
}

ACCELD_WIDE_VECTORS
void AddMultiple(float factor, const float* __restrict row, int64_t count, float* __restrict sums) {
  for (int64_t i = 0; i < count; ++i) sums[i] += factor * row[i];
}

void RoundRow(ir::DType dtype, const float* from, int64_t count, void* to) {
  if (dtype == ir::DType::kBF16) return RoundToBf16(from, count, static_cast<uint16_t*>(to));
  for (int64_t i = 0; i < count; ++i) ir::WriteFloat(dtype, to, i, from[i]);
}

}  // namespace acceld::kernels::cpu
