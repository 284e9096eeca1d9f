#pragma once

#include <cstdint>

#include "kernels/cpu/support/convolution/band.h"

namespace acceld::kernels::cpu {

// How a convolution is cut into bands whose operands stay in the second-level cache and which are
// enough for many threads. It follows from the shape alone. Immutable.
class BandCut {
 public:
  // Cut are either places, so that every band gives complete sums, or the sums themselves.
  enum class Of { kPlaces, kSums };

  BandCut(const ConvolutionShape& shape, Of of);

  // Whether what lies between the elements that a band reads leaves its copy small.
  bool fits() const;
  // Of all groups. Those of one group are neighbours.
  int64_t count() const { return shape_->groups * per_group(); }
  int64_t per_group() const;
  Band operator[](int64_t index) const;

 private:
  static constexpr int kNumAxes = 2 * ConvolutionShape::kNumDims + 1;

  bool IsSmallEnough() const;
  Band First() const;
  // The axes of a band, in no special order.
  static Band::Range& AxisOf(Band& band, int axis);

  const ConvolutionShape* shape_;
  Of of_;
  int64_t extents_[kNumAxes];
  int64_t pieces_[kNumAxes];
};

}  // namespace acceld::kernels::cpu
