#include "kernels/cpu/support/convolution/dilation_phases.h"

#include <numeric>
#include <utility>

namespace acceld::kernels::cpu {
namespace {

// The most phases; no usual gradient has more. Further phases would not be worth their calls.
constexpr int64_t kMaxPhases = 64;

using Dim = ConvolutionShape::Dim;

// Returns the part of `phase` at the output positions r, r + dilation, ... of dimension d.
ConvolutionPhase PartAt(const ConvolutionPhase& phase, int d, int64_t r) {
  ConvolutionPhase part = phase;
  Dim& dim = part.shape.dims[d];
  const int64_t dilation = dim.dilation;
  dim.extent = (dim.extent - r + dilation - 1) / dilation;
  part.out_offset += r * dim.out_stride;
  dim.out_stride *= dilation;
  // Finds the first cell with an element, and the distance from one such cell to the next.
  const int64_t period = dilation / std::gcd(dilation, dim.step);
  int64_t cell = 0;
  while (cell < std::min(period, dim.window) &&
         (r + dim.offset + cell * dim.step) % dilation != 0) {
    ++cell;
  }
  if (cell == std::min(period, dim.window)) {
    part.is_zero = true;
    return part;
  }
  dim.offset = (r + dim.offset + cell * dim.step) / dilation;
  dim.window = (dim.window - cell + period - 1) / period;
  dim.step = dim.step * period / dilation;
  part.rhs_offset += cell * dim.rhs_stride;
  dim.rhs_stride *= period;
  dim.dilation = 1;
  return part;
}

}  // namespace

std::vector<ConvolutionPhase> SplitDilation(const ConvolutionShape& shape) {
  std::vector<ConvolutionPhase> phases(1);
  phases[0].shape = shape;
  for (int d = 0; d < ConvolutionShape::kNumDims; ++d) {
    const Dim& dim = shape.dims[d];
    if (dim.dilation == 1 || dim.stride != 1 ||
        static_cast<int64_t>(phases.size()) * dim.dilation > kMaxPhases) {
      continue;
    }
    std::vector<ConvolutionPhase> parts;
    for (const ConvolutionPhase& phase : phases) {
      for (int64_t r = 0; r < std::min(dim.dilation, dim.extent); ++r) {
        parts.push_back(PartAt(phase, d, r));
      }
    }
    phases = std::move(parts);
  }
  return phases;
}

}  // namespace acceld::kernels::cpu
