#pragma once

#include <cstdint>

#include "common/ir/types/dtype.h"
#include "kernels/ir/collective.h"

namespace acceld::hal::cpu {

// Combines blocks of elements of one type, block after block, in an accumulator. f16 and bf16 are
// accumulated in f32 and rounded once, by `store`; smaller floats are rounded after each step, as
// the interpreter rounds them. Integers wrap. Minimum and maximum of floats are NaN if one of the
// elements is, and order -0 before +0. Results do not depend on how elements are divided into
// blocks. Plain value.
struct BlockCombiner {
  // The most elements of a block.
  static constexpr int64_t kMaxElements = 1024;
  // The memory of an accumulator, of any type.
  struct alignas(64) Accumulator {
    char bytes[kMaxElements * 16];
  };

  int64_t element_bytes = 0;  // in buffers
  // Sets the accumulator to `count` elements at `from`.
  void (*load)(const void* from, int64_t count, Accumulator& accumulator) = nullptr;
  // Combines the accumulator, as the first operand, with `count` elements at `from`.
  void (*combine)(const void* from, int64_t count, Accumulator& accumulator) = nullptr;
  // Rounds the accumulator's elements to their type, and multiplies them by the factor. nullptr for
  // types that have no factor (kernels::CanScale).
  void (*scale)(double factor, int64_t count, Accumulator& accumulator) = nullptr;
  // Writes the accumulator's `count` elements to `to`.
  void (*store)(const Accumulator& accumulator, int64_t count, void* to) = nullptr;
};

// kernels::CanCombine must hold for the arguments.
BlockCombiner BlockCombinerOf(ir::DType dtype, kernels::Collective::Combiner combiner);

}  // namespace acceld::hal::cpu
