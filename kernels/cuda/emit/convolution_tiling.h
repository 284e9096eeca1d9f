#pragma once

#include <cstdint>

#include "kernels/ir/plan.h"

namespace acceld::kernels::cuda {

// How a convolution is divided among thread blocks and threads. It is computed like a product of
// matrices: m counts output positions, n output features, and k the products of one sum. The
// division depends only on the shape and the element types.
struct ConvolutionTiling {
  static constexpr int kThreads = 256;  // of a thread block

  // The size of a thread block's tile of the output (m by n), and the number of products (k) for
  // which it loads operands at a time.
  int64_t tile_m, tile_n, tile_k;
  // The size of a thread's part of the tile.
  int64_t thread_m, thread_n;
  // The number of tiles in a group, in each direction.
  int64_t tiles_m, tiles_n;
  // If there are few tiles, the products of each sum are split into parts, which different blocks
  // compute. Each part has `part_products` products; the last one may have fewer.
  int64_t parts = 1, part_products;

  // Whether products are ordered by input feature first, then by window element; else the reverse.
  bool features_outermost;
  // A thread loads `lanes` adjacent elements of an operand together. Whether these are adjacent
  // along k, rather than along m (for lhs) or n (for rhs).
  bool lhs_along_products, rhs_along_products;
  int64_t lhs_lanes, rhs_lanes;
  bool output_positions_innermost;  // whether output positions (m), not features (n), are innermost
                                    // in `out`
  bool is_wide;                     // whether indices need 64 bits

  // The number of thread blocks.
  int64_t blocks(const ConvolutionShape& shape) const {
    return shape.groups * tiles_m * tiles_n * parts;
  }
  static ConvolutionTiling Of(const ConvolutionStep& convolution);
};

// The element type in which products are summed.
ir::DType ConvolutionSumType(ir::DType input);

// Whether input elements need no bounds check in this dimension: it has no window, padding or
// dilation, and all its output positions are inside the input.
bool IsPlainDim(const ConvolutionShape::Dim& dim);

// An upper bound for all indices and element counts in the computation of the convolution.
double LargestIndexOf(const ConvolutionShape& shape);

}  // namespace acceld::kernels::cuda
