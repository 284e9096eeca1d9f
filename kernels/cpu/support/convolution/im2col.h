#pragma once

#include <cstdint>

#include "kernels/ir/convolution_shape.h"

namespace acceld::kernels::cpu {

// A block of the window's matrix (im2col). That matrix has a row for each output position of the
// row dimensions, and a column for each element (c, f) of the window, as ConvolutionShape counts
// them; its elements are those of the input under the window. The block has rows [first_row,
// first_row + num_rows), at fixed positions of the other dimensions, and columns [first_column,
// first_column + num_columns).
struct Im2colBlock {
  int64_t outer[ConvolutionShape::kNumDims];  // positions in the dimensions before first_row_dim
  int64_t first_row, num_rows;
  int64_t first_column, num_columns;
};

// Returns whether GatherIm2col stores the matrix row by row, which it does if features are
// consecutive in the input and innermost in the columns. Otherwise GatherIm2col stores the matrix
// column by column.
bool GathersRows(const ConvolutionShape& shape);

// Returns whether the input itself is the window's matrix, as the window has one cell and covers
// the input element by element. If so, `row_stride` is set to the distance of the matrix's rows in
// elements; the distance of its columns is lhs_feature_stride.
bool IsIm2colMatrix(const ConvolutionShape& shape, int64_t* row_stride);

// Writes the block to `matrix`, dense, in the order that GathersRows says. `lhs` is the input of
// the group. Elements have `element_bytes` (1, 2 or 4) bytes; those without an input element become
// zero bits.
void GatherIm2col(const ConvolutionShape& shape, const Im2colBlock& block, int64_t element_bytes,
                  const void* lhs, void* matrix);

// Return the offsets, in elements, of row `row` at the positions `outer` of the other dimensions:
// in the input, under the window's first cell, and in the output.
int64_t LhsOffset(const ConvolutionShape& shape, const int64_t* outer, int64_t row);
int64_t OutOffset(const ConvolutionShape& shape, const int64_t* outer, int64_t row);

}  // namespace acceld::kernels::cpu
