#include "common/ir/cost/convolution_taps.h"

#include <algorithm>

namespace acceld::ir {
namespace {

constexpr int64_t kMaxKernel = int64_t{1} << 16;
// With larger numbers the arithmetic might overflow; no real program has them.
constexpr int64_t kMaxNumber = int64_t{1} << 40;

// Returns for how many of the outputs 0 ... output - 1 (output * stride + start) / dilation is an
// integer in [0, input).
int64_t OutputsAt(const ConvolvedDimension& dimension, int64_t start) {
  const int64_t dilation = dimension.input_dilation;
  const int64_t end = (dimension.input - 1) * dilation;  // position of the last element
  // The outputs that read an element repeat after at most `dilation` outputs.
  int64_t count = 0;
  const int64_t phases = std::min(dilation, dimension.output);
  for (int64_t phase = 0; phase < phases; ++phase) {
    const int64_t at = phase * dimension.stride + start;
    if (at % dilation != 0) continue;
    // The outputs of this phase read at + turn * advance for turn = 0 ... turns - 1.
    const int64_t advance = dilation * dimension.stride;
    const int64_t iterations = (dimension.output - phase + dilation - 1) / dilation;
    const int64_t first = at >= 0 ? 0 : (-at + advance - 1) / advance;
    const int64_t last = at > end ? -1 : std::min(iterations - 1, (end - at) / advance);
    count += std::max<int64_t>(last - first + 1, 0);
  }
  return count;
}

bool IsUsual(const ConvolvedDimension& dimension) {
  return dimension.kernel <= kMaxKernel && dimension.input_dilation <= kMaxKernel &&
         dimension.kernel_dilation <= kMaxKernel && dimension.stride <= kMaxKernel &&
         dimension.input <= kMaxNumber && dimension.output <= kMaxNumber &&
         dimension.padding_low <= kMaxNumber && dimension.padding_low >= -kMaxNumber &&
         dimension.kernel * dimension.input_dilation <= kMaxKernel;
}

}  // namespace

double ConvolutionTapsOf(const ConvolvedDimension& dimension) {
  if (!IsUsual(dimension)) {
    return static_cast<double>(dimension.output) * static_cast<double>(dimension.kernel);
  }
  if (dimension.input == 0) return 0;
  double taps = 0;
  for (int64_t k = 0; k < dimension.kernel; ++k) {
    taps += static_cast<double>(
        OutputsAt(dimension, k * dimension.kernel_dilation - dimension.padding_low));
  }
  return taps;
}

}  // namespace acceld::ir
