#pragma once

#include <cstdint>

#include "kernels/cpu/support/convolution/band.h"

namespace acceld::kernels::cpu {

// How a convolution is divided into bands, whose operands stay in the second-level cache and which
// are enough for many threads. The division depends on the shape alone. Immutable. Borrows the
// shape.
class BandPartition {
 public:
  // What is divided: the output positions, so that every band computes complete sums, or the sums.
  enum class Of { kPositions, kSums };

  BandPartition(const ConvolutionShape& shape, Of of);

  // Returns whether the copy of a band's input is small enough, in spite of the zeros between the
  // elements that it reads.
  bool fits() const;
  // The number of bands of all groups, and of one group. The bands of a group have consecutive
  // indices.
  int64_t count() const { return shape_->groups * per_group(); }
  int64_t per_group() const;
  // Returns the band with this index.
  Band operator[](int64_t index) const;

 private:
  static constexpr int kNumAxes = 2 * ConvolutionShape::kNumDims + 1;

  // Returns whether a band is small enough for the cache, and small enough that there are enough
  // bands.
  bool IsSmallEnough() const;
  // Returns the first band, which is as large as any.
  Band First() const;
  // Returns the range of `band` on an axis: first those of the output positions, then those of the
  // cells, then the features.
  static Band::Range& AxisOf(Band& band, int axis);

  const ConvolutionShape* shape_;
  Of of_;
  // The size of a group, and of a band, on each axis.
  int64_t extents_[kNumAxes];
  int64_t pieces_[kNumAxes];
};

}  // namespace acceld::kernels::cpu
