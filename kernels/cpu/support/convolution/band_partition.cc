#include "kernels/cpu/support/convolution/band_partition.h"

#include <algorithm>

namespace acceld::kernels::cpu {
namespace {

constexpr int kNumDims = ConvolutionShape::kNumDims;
constexpr int kFeatures = 2 * kNumDims;  // the axis after those of positions and cells

// The most elements of a band's operands, so that they stay in the second-level cache.
constexpr double kMaxElements = 48 << 10;
// The most elements of the input of a band that cannot be divided further, zeros between its
// elements included.
constexpr double kMaxUndividedElements = 1 << 20;
constexpr int64_t kMaxPositions = 4096;
// The least number of bands for several threads, as long as each has multiplications for about 15
// us.
constexpr int64_t kMinBands = 16;
constexpr double kMinBandWork = 1 << 20;
// With fewer neighbouring output positions, tiles would be half empty.
constexpr int64_t kMinPositions = 8;

double WorkOf(const ConvolutionShape& shape, const Band& band) {
  return static_cast<double>(band.num_output_positions()) *
         static_cast<double>(band.num_products()) * static_cast<double>(shape.outputs);
}

}  // namespace

Band::Range& BandPartition::AxisOf(Band& band, int axis) {
  if (axis == kFeatures) return band.features;
  return axis < kNumDims ? band.positions[axis] : band.cells[axis - kNumDims];
}

BandPartition::BandPartition(const ConvolutionShape& shape, Of of) : shape_(&shape), of_(of) {
  Band whole = WholeBand(shape);
  for (int axis = 0; axis < kNumAxes; ++axis) extents_[axis] = AxisOf(whole, axis).count;
  std::copy_n(extents_, kNumAxes, pieces_);
  // Divides the outermost axes in memory first, so that bands share little of their input.
  int order[kNumAxes], num_axes = 0;
  const int first = of == Of::kPositions ? 0 : kNumDims;
  if (of == Of::kSums) order[num_axes++] = kFeatures;
  for (int d = 0; d < kNumDims; ++d) order[num_axes++] = first + d;
  for (int i = 0; i < num_axes; ++i) {
    const bool is_row = of == Of::kPositions && i == num_axes - 1;
    int64_t& piece = pieces_[order[i]];
    while (piece > (is_row ? kMinPositions : 1) && !IsSmallEnough()) piece = (piece + 1) / 2;
  }
}

bool BandPartition::fits() const {
  return NumPaddedElements(*shape_, First()) <= kMaxUndividedElements;
}

Band BandPartition::First() const {
  Band band;
  for (int axis = 0; axis < kNumAxes; ++axis) AxisOf(band, axis).count = pieces_[axis];
  return band;
}

bool BandPartition::IsSmallEnough() const {
  const Band band = First();
  double elements = NumPaddedElements(*shape_, band);
  if (of_ == Of::kSums) elements += static_cast<double>(band.num_products() * shape_->outputs);
  if (elements > kMaxElements) return false;
  if (of_ == Of::kPositions && band.num_output_positions() > kMaxPositions) return false;
  return count() >= kMinBands || WorkOf(*shape_, band) < 2 * kMinBandWork;
}

int64_t BandPartition::per_group() const {
  int64_t bands = 1;
  for (int axis = 0; axis < kNumAxes; ++axis) {
    bands *= (extents_[axis] + pieces_[axis] - 1) / pieces_[axis];
  }
  return bands;
}

Band BandPartition::operator[](int64_t index) const {
  Band band;
  for (int axis = kNumAxes; axis-- > 0;) {
    const int64_t pieces = (extents_[axis] + pieces_[axis] - 1) / pieces_[axis];
    const int64_t begin = index % pieces * pieces_[axis];
    index /= pieces;
    AxisOf(band, axis) = {begin, std::min(pieces_[axis], extents_[axis] - begin)};
  }
  band.group = index;
  return band;
}

}  // namespace acceld::kernels::cpu
