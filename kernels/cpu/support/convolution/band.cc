#include "kernels/cpu/support/convolution/band.h"

#include <algorithm>

namespace acceld::kernels::cpu {
namespace {

constexpr int kNumDims = ConvolutionShape::kNumDims;
using Dim = ConvolutionShape::Dim;

// The positions in the padded and dilated input that a band reads along one dimension.
struct Extent {
  int64_t first, count;
};

// The position in the padded and dilated input of a cell of the window at an output position.
int64_t InputPositionOf(const Dim& dim, int64_t position, int64_t cell) {
  return position * dim.stride + cell * dim.step + dim.offset;
}

Extent ExtentOf(const Dim& dim, const Band::Range& positions, const Band::Range& cells) {
  const int64_t last_cell = cells.begin + cells.count - 1;
  const int64_t low = InputPositionOf(dim, positions.begin, dim.step < 0 ? last_cell : cells.begin);
  const int64_t high = InputPositionOf(dim, positions.begin + positions.count - 1,
                                       dim.step < 0 ? cells.begin : last_cell);
  return {low, high - low + 1};
}

// Copies the elements within the extents, dimension by dimension, with zeros where the input has no
// element.
class Padder {
 public:
  // Each position has `unit` consecutive elements.
  Padder(const ConvolutionShape& shape, const Extent* extents, int64_t unit)
      : shape_(shape), extents_(extents), unit_(unit) {
    int64_t step = unit;
    bool together = true;
    for (int d = kNumDims; d-- > 0;) {
      const Dim& dim = shape.dims[d];
      steps_[d] = step;
      together &= dim.dilation == 1 && (dim.lhs_stride == step || extents[d].count == 1);
      together_[d] = together;
      together &= extents[d].first == 0 && extents[d].count == dim.size;
      step *= extents[d].count;
    }
    size_ = step;
  }

  // The elements from one position of a dimension to the next in the copy, and the size of the
  // copy.
  int64_t step(int d) const { return steps_[d]; }
  int64_t size() const { return size_; }

  // Copies the dimensions from d on.
  void Copy(int d, const float* from, float* to) const {
    if (d == kNumDims) {
      std::copy_n(from, unit_, to);
      return;
    }
    const Dim& dim = shape_.dims[d];
    const auto [first, count] = extents_[d];
    if (dim.dilation == 1) {
      const int64_t low = std::clamp<int64_t>(-first, 0, count);
      const int64_t high = std::clamp<int64_t>(dim.size - first, low, count);
      std::fill_n(to, low * steps_[d], 0.0F);
      CopyRange(d, high - low, from + (first + low) * dim.lhs_stride, to + low * steps_[d]);
      std::fill_n(to + high * steps_[d], (count - high) * steps_[d], 0.0F);
      return;
    }
    for (int64_t i = first; i < first + count; ++i, to += steps_[d]) {
      if (i >= 0 && i % dim.dilation == 0 && i / dim.dilation < dim.size) {
        Copy(d + 1, from + i / dim.dilation * dim.lhs_stride, to);
      } else {
        std::fill_n(to, steps_[d], 0.0F);
      }
    }
  }

 private:
  void CopyRange(int d, int64_t count, const float* from, float* to) const {
    if (together_[d]) {
      std::copy_n(from, count * steps_[d], to);
      return;
    }
    const int64_t stride = shape_.dims[d].lhs_stride;
    for (int64_t i = 0; i < count; ++i, from += stride, to += steps_[d]) Copy(d + 1, from, to);
  }

  const ConvolutionShape& shape_;
  const Extent* const extents_;
  const int64_t unit_;
  int64_t steps_[kNumDims];
  bool together_[kNumDims];  // whether input and copy have the same layout from d on
  int64_t size_;
};

bool IsInside(const Dim& dim, const Extent& extent) {
  return dim.dilation == 1 && extent.first >= 0 && extent.first + extent.count <= dim.size;
}

}  // namespace

Band WholeBand(const ConvolutionShape& shape) {
  Band band;
  for (int d = 0; d < kNumDims; ++d) {
    band.positions[d].count = shape.dims[d].extent;
    band.cells[d].count = shape.dims[d].window;
  }
  band.features.count = shape.features;
  return band;
}

double NumPaddedElements(const ConvolutionShape& shape, const Band& band) {
  auto n = static_cast<double>(band.features.count);
  for (int d = 0; d < kNumDims; ++d) {
    n *= static_cast<double>(ExtentOf(shape.dims[d], band.positions[d], band.cells[d]).count);
  }
  return n;
}

PaddedInput PadInput(const ConvolutionShape& shape, const Band& band, const float* lhs,
                     Scratchpad& memory) {
  Extent extents[kNumDims];
  int64_t steps[kNumDims];  // distances of neighbouring positions
  bool is_inside = true;
  for (int d = 0; d < kNumDims; ++d) {
    extents[d] = ExtentOf(shape.dims[d], band.positions[d], band.cells[d]);
    is_inside &= IsInside(shape.dims[d], extents[d]);
    steps[d] = shape.dims[d].lhs_stride;
  }
  const float* const from = lhs + band.features.begin * shape.lhs_feature_stride;
  PaddedInput input{};
  if (is_inside) {
    input.data = from;
    for (int d = 0; d < kNumDims; ++d) input.data += extents[d].first * steps[d];
    input.feature_step = shape.lhs_feature_stride;
  } else {
    const bool features_inside = shape.lhs_feature_stride == 1;
    const Padder padder(shape, extents, features_inside ? band.features.count : 1);
    const int64_t images = features_inside ? 1 : band.features.count;
    auto* const copy = static_cast<float*>(memory.Reserve(images * padder.size() * sizeof(float)));
    for (int64_t i = 0; i < images && copy != nullptr; ++i) {
      padder.Copy(0, from + i * shape.lhs_feature_stride, copy + i * padder.size());
    }
    for (int d = 0; d < kNumDims; ++d) steps[d] = padder.step(d);
    input.data = copy;
    input.feature_step = features_inside ? 1 : padder.size();
  }
  if (input.data == nullptr) return input;
  for (int d = 0; d < kNumDims; ++d) {
    const Dim& dim = shape.dims[d];
    input.data +=
        (InputPositionOf(dim, band.positions[d].begin, band.cells[d].begin) - extents[d].first) *
        steps[d];
    input.position_steps[d] = dim.stride * steps[d];
    input.cell_steps[d] = dim.step * steps[d];
  }
  return input;
}

}  // namespace acceld::kernels::cpu
