#include "kernels/cpu/support/convolution/im2col.h"

#include <algorithm>
#include <cstring>

#include "common/ceil_divide.h"

namespace acceld::kernels::cpu {
namespace {

constexpr int kNumDims = ConvolutionShape::kNumDims;
using Dim = ConvolutionShape::Dim;

int64_t CeilDiv(int64_t a, int64_t b) { return a >= 0 ? CeilDivide(a, b) : -(-a / b); }

// Returns the index of the input element at position `at` of a dimension, or -1 if there is none.
int64_t ElementAt(const Dim& dim, int64_t at) {
  if (at < 0 || at > (dim.size - 1) * dim.dilation) return -1;
  if (dim.dilation == 1) return at;
  return at % dim.dilation == 0 ? at / dim.dilation : -1;
}

// Sets `position` to the output position of row `row` in the row dimensions.
void OutputPositionOf(const ConvolutionShape& shape, int64_t row, int64_t* position) {
  for (int d = kNumDims; d-- > shape.first_row_dim;) {
    position[d] = row % shape.dims[d].extent;
    row /= shape.dims[d].extent;
  }
}

// Advances `position` to the next output position. After the last one it starts again with the
// first.
void NextPosition(const ConvolutionShape& shape, int64_t* position) {
  for (int d = kNumDims; d-- > shape.first_row_dim;) {
    if (++position[d] < shape.dims[d].extent) return;
    position[d] = 0;
  }
}

template <typename T>
class Gatherer {
 public:
  Gatherer(const ConvolutionShape& shape, const Im2colBlock& block, const T* lhs, T* matrix)
      : shape_(shape), block_(block), lhs_(lhs), matrix_(matrix) {
    for (int d = 0; d < kNumDims; ++d) {
      if (shape.dims[d].window > 1) last_ = d;
    }
    std::copy_n(block.outer, kNumDims, position_);
  }

  void Rows() {
    const Dim& last = shape_.dims[last_];
    // Neighbouring cells of the last dimension are neighbours in the input.
    const bool merge = last.step == 1 && last.dilation == 1 && last.lhs_stride == shape_.features;
    OutputPositionOf(shape_, block_.first_row, position_);
    for (int64_t row = 0; row < block_.num_rows; ++row) {
      if (merge) {
        MergedRow();
      } else {
        Row();
      }
      NextPosition(shape_, position_);
    }
  }

  void Columns() {
    const int64_t cells = shape_.num_window_elements();
    for (int64_t i = 0; i < block_.num_columns; ++i) {
      const int64_t column = block_.first_column + i;
      const int64_t cell = shape_.features_outermost ? column % cells : column / shape_.features;
      const int64_t feature = shape_.features_outermost ? column / cells : column % shape_.features;
      Column(cell, lhs_ + feature * shape_.lhs_feature_stride);
    }
  }

 private:
  void Zeros(int64_t n) { matrix_ = std::fill_n(matrix_, n, T{0}); }
  void Copy(const T* from, int64_t n) { matrix_ = std::copy_n(from, n, matrix_); }

  // Returns the offset of the input elements under cell `cell` at position_, over dims [0, end), or
  // -1 if there is none there in one of these dims. `cell` counts over these dims.
  int64_t OffsetOf(int64_t cell, int end) const {
    int64_t offset = 0;
    for (int d = end; d-- > 0;) {
      const Dim& dim = shape_.dims[d];
      int64_t w = 0;
      if (dim.window > 1) {
        w = cell % dim.window;
        cell /= dim.window;
      }
      const int64_t element = ElementAt(dim, position_[d] * dim.stride + dim.offset + w * dim.step);
      if (element < 0) return -1;
      offset += element * dim.lhs_stride;
    }
    return offset;
  }

  // Copies a row cell by cell. The features of a cell are consecutive.
  void Row() {
    int64_t column = block_.first_column;
    const int64_t end = column + block_.num_columns;
    while (column < end) {
      const int64_t cell = column / shape_.features, first = column % shape_.features;
      const int64_t n = std::min(shape_.features - first, end - column);
      const int64_t offset = OffsetOf(cell, kNumDims);
      if (offset < 0) {
        Zeros(n);
      } else {
        Copy(lhs_ + offset + first, n);
      }
      column += n;
    }
  }

  // Copies a row in runs of cells along the last dimension that has a window, with all their
  // features. The dimensions inside of that one have windows of one cell.
  void MergedRow() {
    const Dim& last = shape_.dims[last_];
    const int64_t run = last.window * shape_.features;
    const int64_t start = position_[last_] * last.stride + last.offset;
    // The part of a run that has input elements.
    const int64_t low = std::clamp<int64_t>(-start * shape_.features, 0, run);
    const int64_t high = std::clamp<int64_t>((last.size - start) * shape_.features, low, run);
    int64_t inner = 0;
    for (int d = last_ + 1; d < kNumDims && inner >= 0; ++d) {
      const Dim& dim = shape_.dims[d];
      const int64_t element = ElementAt(dim, position_[d] * dim.stride + dim.offset);
      inner = element < 0 ? -1 : inner + element * dim.lhs_stride;
    }
    int64_t column = block_.first_column;
    const int64_t end = column + block_.num_columns;
    while (column < end) {
      const int64_t from = column % run, to = std::min(run, from + end - column);
      const int64_t outer = inner < 0 ? -1 : OffsetOf(column / run, last_);
      if (outer < 0) {
        Zeros(to - from);
      } else {
        const int64_t a = std::clamp(low, from, to), b = std::clamp(high, a, to);
        Zeros(a - from);
        Copy(lhs_ + outer + inner + start * shape_.features + a, b - a);
        Zeros(to - b);
      }
      column += to - from;
    }
  }

  // Copies all rows of one column, in runs along the innermost dimension.
  void Column(int64_t cell, const T* lhs) {
    const Dim& inner = shape_.dims[kNumDims - 1];
    const int64_t w = cell % inner.window;
    OutputPositionOf(shape_, block_.first_row, position_);
    int64_t left = block_.num_rows;
    while (left > 0) {
      int64_t* const position = &position_[kNumDims - 1];
      const int64_t n = std::min(left, inner.extent - *position);
      const int64_t offset = OffsetOf(cell / inner.window, kNumDims - 1);
      if (offset < 0) {
        Zeros(n);
      } else {
        Run(inner, *position, *position + n, inner.offset + w * inner.step, lhs + offset);
      }
      left -= n;
      *position += n - 1;
      NextPosition(shape_, position_);
    }
  }

  // Copies the elements for output positions [from, to) of the innermost dimension, under the cell
  // with offset `shift`.
  void Run(const Dim& dim, int64_t from, int64_t to, int64_t shift, const T* lhs) {
    if (dim.dilation != 1 || dim.stride == 0) {
      for (int64_t position = from; position < to; ++position) {
        const int64_t element = ElementAt(dim, position * dim.stride + shift);
        *matrix_++ = element < 0 ? T{0} : lhs[element * dim.lhs_stride];
      }
      return;
    }
    const int64_t low = std::clamp(CeilDiv(-shift, dim.stride), from, to);
    const int64_t high = std::clamp(CeilDiv(dim.size - shift, dim.stride), low, to);
    Zeros(low - from);
    const int64_t step = dim.stride * dim.lhs_stride;
    const T* source = lhs + (low * dim.stride + shift) * dim.lhs_stride;
    if (step == 1) {
      Copy(source, high - low);
    } else {
      for (int64_t i = 0; i < high - low; ++i) matrix_[i] = source[i * step];
      matrix_ += high - low;
    }
    Zeros(to - high);
  }

  const ConvolutionShape& shape_;
  const Im2colBlock& block_;
  const T* const lhs_;
  T* matrix_;  // address of the next element
  int last_ = kNumDims - 1;
  int64_t position_[kNumDims];
};

template <typename T>
void Gather(const ConvolutionShape& shape, const Im2colBlock& block, const void* lhs,
            void* matrix) {
  Gatherer<T> gatherer(shape, block, static_cast<const T*>(lhs), static_cast<T*>(matrix));
  if (GathersRows(shape)) {
    gatherer.Rows();
  } else {
    gatherer.Columns();
  }
}

}  // namespace

bool GathersRows(const ConvolutionShape& shape) {
  return shape.lhs_feature_stride == 1 && (shape.features_outermost == 0 || shape.features == 1) &&
         shape.features * shape.dims[kNumDims - 1].window > 1;
}

bool IsIm2colMatrix(const ConvolutionShape& shape, int64_t* row_stride) {
  *row_stride = 1;
  int64_t rows = 1;
  for (int d = kNumDims; d-- > 0;) {
    const Dim& dim = shape.dims[d];
    if (dim.window != 1 || dim.stride != 1 || dim.offset != 0 || dim.dilation != 1 ||
        dim.extent > dim.size) {
      return false;
    }
    if (d < shape.first_row_dim || dim.extent == 1) continue;
    if (rows == 1) {
      *row_stride = dim.lhs_stride;
    } else if (dim.lhs_stride != *row_stride * rows) {
      return false;
    }
    rows *= dim.extent;
  }
  return rows == 1 || shape.features == 1 || *row_stride == 1 || shape.lhs_feature_stride == 1;
}

void GatherIm2col(const ConvolutionShape& shape, const Im2colBlock& block, int64_t element_bytes,
                  const void* lhs, void* matrix) {
  if (element_bytes == 1) return Gather<uint8_t>(shape, block, lhs, matrix);
  if (element_bytes == 2) return Gather<uint16_t>(shape, block, lhs, matrix);
  return Gather<uint32_t>(shape, block, lhs, matrix);
}

int64_t LhsOffset(const ConvolutionShape& shape, const int64_t* outer, int64_t row) {
  int64_t position[kNumDims];
  std::copy_n(outer, kNumDims, position);
  OutputPositionOf(shape, row, position);
  int64_t offset = 0;
  for (int d = 0; d < kNumDims; ++d) offset += position[d] * shape.dims[d].lhs_stride;
  return offset;
}

int64_t OutOffset(const ConvolutionShape& shape, const int64_t* outer, int64_t row) {
  int64_t offset = row * shape.row_stride();
  for (int d = 0; d < shape.first_row_dim; ++d) offset += outer[d] * shape.dims[d].out_stride;
  return offset;
}

}  // namespace acceld::kernels::cpu
