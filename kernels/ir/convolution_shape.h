#pragma once

#include <cstdint>

namespace acceld::kernels {

// The sizes and strides of a convolution, without element types and addresses, for calls of a
// library. An output position is a batch index and spatial indices; a "cell" is an element of the
// window. For each group g, output position p and output feature n,
//   out[g, p, n] = sum over the window's cells c and the input features f of
//                  lhs[g, input element under cell c at p, f] * rhs[g, c, f, n]
// A cell that lies in the padding or between dilated input elements contributes 0. Strides are in
// elements. All fields are int64_t, because generated code passes the struct as an array.
struct ConvolutionShape {
  // The batch and up to three spatial dimensions, ordered by their strides in the output, the
  // outermost first. Unused dimensions have extent 1.
  static constexpr int kNumDims = 4;

  // One dimension. In coordinates of the dilated input, cell c of output position p is at
  // p * stride + offset + c * step, and input element i is at i * dilation.
  struct Dim {
    int64_t extent = 1;    // number of output positions
    int64_t window = 1;    // number of cells
    int64_t stride = 1;    // distance of the windows of neighbouring output positions; 0 or more
    int64_t step = 1;      // distance of neighbouring cells; negative if the window is reversed
    int64_t offset = 0;    // coordinate of cell 0 of output position 0; negative with low padding
    int64_t dilation = 1;  // distance of neighbouring input elements
    int64_t size = 1;      // number of input elements
    int64_t lhs_stride = 0;
    int64_t out_stride = 0;
    int64_t rhs_stride = 0;  // from one cell to the next in the kernel's memory
    friend bool operator==(const Dim&, const Dim&) = default;
  };
  Dim dims[kNumDims];
  // The output positions of dims [first_row_dim, kNumDims), in row-major order, are equally spaced
  // in the output's memory, so that they can be the rows of a matrix.
  int64_t first_row_dim = kNumDims;

  int64_t groups = 1, features = 1, outputs = 1;  // features and outputs of one group
  int64_t lhs_group_stride = 0, rhs_group_stride = 0, out_group_stride = 0;
  int64_t lhs_feature_stride = 1;
  int64_t rhs_feature_stride = 1;
  int64_t rhs_output_stride = 1;
  int64_t out_feature_stride = 1;
  // If the kernel's memory is a matrix with one row for each pair of a cell and an input feature
  // and one column for each output feature: the distance of its rows; else 0. The rows are ordered
  // by cell (row-major over dims), then by feature; with features_outermost (1), by feature first.
  int64_t rhs_row_stride = 1;
  int64_t features_outermost = 0;

  // The number of cells of the whole window.
  int64_t num_window_elements() const {
    int64_t cells = 1;
    for (const Dim& dim : dims) cells *= dim.window;
    return cells;
  }
  // The number of output positions of one group.
  int64_t num_output_positions() const {
    int64_t positions = 1;
    for (const Dim& dim : dims) positions *= dim.extent;
    return positions;
  }
  double num_multiplications() const {
    return static_cast<double>(groups * num_output_positions()) *
           static_cast<double>(num_window_elements() * features) * static_cast<double>(outputs);
  }
  // The number of output positions of dims [first_row_dim, kNumDims), and their distance in the
  // output's memory.
  int64_t num_rows() const {
    int64_t rows = 1;
    for (int64_t d = first_row_dim; d < kNumDims; ++d) rows *= dims[d].extent;
    return rows;
  }
  int64_t row_stride() const { return dims[kNumDims - 1].out_stride; }

  // Whether a library for matrix products supports the operands' layouts: the kernel is a matrix
  // with contiguous rows or columns, and so is the output (output positions by output features).
  bool IsProduct() const {
    return rhs_row_stride != 0 && (rhs_row_stride == 1 || rhs_output_stride == 1) &&
           (num_rows() == 1 || row_stride() == 1 || out_feature_stride == 1);
  }

  friend bool operator==(const ConvolutionShape&, const ConvolutionShape&) = default;
};

inline constexpr int kConvolutionShapeFields = sizeof(ConvolutionShape) / sizeof(int64_t);

}  // namespace acceld::kernels
