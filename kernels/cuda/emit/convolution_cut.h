#pragma once

#include <cstdint>

#include "kernels/ir/plan.h"

namespace acceld::kernels::cuda {

// How a convolution is shared out among blocks and threads, from its shape and types alone.
struct ConvolutionCut {
  static constexpr int kThreads = 256;

  // Of a block: places, output features, and products at a time; of a thread, of these.
  int64_t tile_m, tile_n, tile_k;
  int64_t thread_m, thread_n;
  int64_t tiles_m, tiles_n;
  // Of the products, where there are few tiles; all but the last of `part_products`.
  int64_t parts = 1, part_products;

  // The order of a window's products, and the neighbours in it or across it that a thread loads
  // together.
  bool features_outermost;
  bool lhs_along_products, rhs_along_products;
  int64_t lhs_lanes, rhs_lanes;
  bool places_innermost;  // in the output
  bool is_wide;           // positions take 64 bits

  int64_t blocks(const ConvolutionShape& shape) const {
    return shape.groups * tiles_m * tiles_n * parts;
  }
  static ConvolutionCut Of(const ConvolutionStep& convolution);
};

// Of sums.
ir::DType ConvolutionSumType(ir::DType input);

// Whether the places of dimension `d` all lie in the input.
bool IsPlainDim(const ConvolutionShape::Dim& dim);

// The largest number that indices in a convolution come to, or more.
double LargestIndexOf(const ConvolutionShape& shape);

}  // namespace acceld::kernels::cuda
