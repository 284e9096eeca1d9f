#pragma once

#include <cstdint>

#include "kernels/ir/convolution_shape.h"

namespace acceld::kernels::cpu {

// Part of the matrix of input elements under the window: places [first_row, first_row + num_rows)
// of the row dimensions at fixed places of the others, by window elements [first_column,
// first_column + num_columns) as ConvolutionShape counts (c, f).
struct WindowBlock {
  int64_t outer[ConvolutionShape::kNumDims];  // places of dims before first_row_dim
  int64_t first_row, num_rows;
  int64_t first_column, num_columns;
};

// Whether the matrix is gathered row by row (features lie together in the input and innermost in
// the columns), else column by column.
bool GathersRows(const ConvolutionShape& shape);

// Whether the input itself is the matrix: one cell that covers the input place by place.
// `row_stride` is then the distance of its rows; that of columns is lhs_feature_stride.
bool IsWindowMatrix(const ConvolutionShape& shape, int64_t* row_stride);

// Writes the block to `matrix`, dense: rows first when GathersRows, else columns first. `lhs` is
// the input of the group. Elements have `element_bytes` (1, 2 or 4); zero is all bits zero.
void GatherWindow(const ConvolutionShape& shape, const WindowBlock& block, int64_t element_bytes,
                  const void* lhs, void* matrix);

// Offset in elements of the input (under the first cell) and of the output of row `row` at `outer`.
int64_t LhsOffset(const ConvolutionShape& shape, const int64_t* outer, int64_t row);
int64_t OutOffset(const ConvolutionShape& shape, const int64_t* outer, int64_t row);

}  // namespace acceld::kernels::cpu
