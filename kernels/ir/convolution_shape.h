#pragma once

#include <cstdint>

namespace acceld::kernels {

// A convolution as a sum of products over a window, for library calls: everything but its element
// types and places. For each group g, place p and output feature n,
//   out[g, p, n] = sum over cells c of the window and input features f of
//                  lhs[g, p under c, f] * rhs[g, (c, f), n]
// where cells that no input element lies under hold zeros. Strides are in elements. Only int64_t
// fields: generated code hands it on as an array.
struct ConvolutionShape {
  // The batch and up to three spatial dimensions in the order in which they lie in the output, the
  // outermost first; those that are missing have extent 1.
  static constexpr int kNumDims = 4;

  struct Dim {
    int64_t extent = 1;    // places
    int64_t window = 1;    // cells at each
    int64_t stride = 1;    // from place to place; 0 or more
    int64_t step = 1;      // from cell to cell; negative where the window is reversed
    int64_t offset = 0;    // of cell 0 at place 0
    int64_t dilation = 1;  // input element i lies at i * dilation
    int64_t size = 1;      // of the input
    int64_t lhs_stride = 0;
    int64_t out_stride = 0;
    int64_t rhs_stride = 0;  // from cell to cell of the kernel
    friend bool operator==(const Dim&, const Dim&) = default;
  };
  Dim dims[kNumDims];
  // Places of dims [first_row_dim, kNumDims) have equal distances in the output.
  int64_t first_row_dim = kNumDims;

  int64_t groups = 1, features = 1, outputs = 1;  // features and outputs of one group
  int64_t lhs_group_stride = 0, rhs_group_stride = 0, out_group_stride = 0;
  int64_t lhs_feature_stride = 1;
  int64_t rhs_feature_stride = 1;
  int64_t rhs_output_stride = 1;
  int64_t out_feature_stride = 1;
  // Where the kernel lies as a matrix, (c, f) by outputs, the distance of its rows; 0 where it does
  // not. (c, f) counts the window's cells in row-major order of dims, and in each the features; or,
  // with features_outermost, for each feature the cells.
  int64_t rhs_row_stride = 1;
  int64_t features_outermost = 0;

  int64_t num_cells() const {
    int64_t cells = 1;
    for (const Dim& dim : dims) cells *= dim.window;
    return cells;
  }
  int64_t num_places() const {
    int64_t source_locations = 1;
    for (const Dim& dim : dims) source_locations *= dim.extent;
    return source_locations;
  }
  double num_multiplications() const {
    return static_cast<double>(groups * num_places()) *
           static_cast<double>(num_cells() * features) * static_cast<double>(outputs);
  }
  // Places of the row dimensions.
  int64_t num_rows() const {
    int64_t rows = 1;
    for (int64_t d = first_row_dim; d < kNumDims; ++d) rows *= dims[d].extent;
    return rows;
  }
  int64_t row_stride() const { return dims[kNumDims - 1].out_stride; }

  // Whether it is a product of matrices as libraries know them: the kernel is one, of rows or of
  // columns without gaps, and the output has rows of features, or columns of places.
  bool IsProduct() const {
    return rhs_row_stride != 0 && (rhs_row_stride == 1 || rhs_output_stride == 1) &&
           (num_rows() == 1 || row_stride() == 1 || out_feature_stride == 1);
  }

  friend bool operator==(const ConvolutionShape&, const ConvolutionShape&) = default;
};

inline constexpr int kConvolutionShapeFields = sizeof(ConvolutionShape) / sizeof(int64_t);

}  // namespace acceld::kernels
