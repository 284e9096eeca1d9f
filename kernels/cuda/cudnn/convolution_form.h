#pragma once

#include <cstdint>

#include "absl/types/optional.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cuda {

// A convolution in cuDNN's words. All three of its functions are about one forward convolution,
// result = image * filter, and compute one of these tensors of the other two. Sizes and strides fit
// into an int.
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
  // Of the filter's elements, wherever they lie: group, output feature and input feature in it,
  // cell.
  struct FilterStrides {
    int64_t group = 0, output = 0, input = 0;
    int64_t spatial[kMaxRank] = {};
  };

  Function function = Function::kForward;
  bool channels_last = false;  // NHWC, else NCHW; tensors lie in memory without gaps
  bool is_flipped = false;     // the filter's cells are taken in reverse (CUDNN_CONVOLUTION)
  int rank = 2;                // 2 or 3; missing ones have size 1
  Spatial spatial[kMaxRank];   // outermost first
  int64_t batch = 1, groups = 1;
  int64_t inputs = 1, outputs = 1;  // channels of one group
  FilterStrides filter;
  // Of ConvolutionShape::dims; kNone for one of size 1 that the shape has not.
  static constexpr int kNone = -1;
  int batch_dim = kNone;
  int spatial_dims[kMaxRank] = {kNone, kNone, kNone};

  // The filter's strides as cuDNN has them: [group, output, spatial, input] or [group, output,
  // input, spatial], without gaps.
  FilterStrides PackedFilter() const;
  // Whether the filter lies so.
  bool HasPackedFilter() const;
  int64_t filter_elements() const;
};

// nullopt for what cuDNN has no function for: other types, input and output that lie otherwise,
// padding that differs from side to side.
absl::optional<CudnnForm> CudnnFormOf(const ConvolutionStep& convolution);

// The same convolution with its filter where cuDNN has it, which is at `convolution.rhs` or, of
// kBackwardFilter, `out`. `form` is CudnnFormOf(convolution).
ConvolutionShape WithPackedFilter(const ConvolutionStep& convolution, const CudnnForm& form);

}  // namespace acceld::kernels::cuda
