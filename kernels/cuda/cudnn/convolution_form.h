#pragma once

#include <cstdint>

#include "absl/types/optional.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cuda {

// A convolution in cuDNN's terms. Each of cuDNN's three functions relates to a forward convolution,
// result = image * filter, and computes one of the three tensors from the other two (for gradients,
// the gradient of one from the others). Sizes and strides fit into an int.
struct CudnnForm {
  enum class Function : uint8_t {
    kForward,         // (image, filter) -> result
    kBackwardData,    // (result, filter) -> image
    kBackwardFilter,  // (image, result) -> filter
  };
  static constexpr int kMaxRank = 3;
  struct Spatial {
    int64_t image = 1, filter = 1, result = 1;  // sizes
    int64_t padding = 0;                        // on both sides
    int64_t stride = 1, dilation = 1;
  };
  // The filter's strides in memory, in elements: from group to group, from output to output channel
  // and from input to input channel of a group, and in each spatial dimension.
  struct FilterStrides {
    int64_t group = 0, output = 0, input = 0;
    int64_t spatial[kMaxRank] = {};
  };

  Function function = Function::kForward;
  bool channels_last = false;  // whether the layout is NHWC rather than NCHW, both without gaps
  bool is_flipped = false;     // whether the filter is spatially reversed (CUDNN_CONVOLUTION)
  int rank = 2;                // the number of spatial dimensions: 2 or 3; unused ones have size 1
  Spatial spatial[kMaxRank];   // outermost first
  int64_t batch = 1, groups = 1;
  int64_t inputs = 1, outputs = 1;  // channels of one group
  FilterStrides filter;
  // The indices in ConvolutionShape::dims of the batch and the spatial dimensions; kNone for a
  // dimension of size 1 that the shape does not have.
  static constexpr int kNone = -1;
  int batch_dim = kNone;
  int spatial_dims[kMaxRank] = {kNone, kNone, kNone};

  // The strides that cuDNN requires of a filter: [group, output, spatial, input] with
  // channels_last, else [group, output, input, spatial], without gaps.
  FilterStrides PackedFilter() const;
  // Whether `filter` has these strides.
  bool HasPackedFilter() const;
  int64_t filter_elements() const;
};

// Returns the form of a convolution; nullopt if cuDNN has no function for it, because of its
// element types, the layout of its input or output, or padding that differs between the two sides.
absl::optional<CudnnForm> CudnnFormOf(const ConvolutionStep& convolution);

// Returns the shape of the same convolution on a filter with the strides of form.PackedFilter().
// The filter is the operand `rhs`, or the output for kBackwardFilter. `form` is
// CudnnFormOf(convolution).
ConvolutionShape WithPackedFilter(const ConvolutionStep& convolution, const CudnnForm& form);

}  // namespace acceld::kernels::cuda
