#pragma once

#include <cstdint>

namespace acceld::ir {

// One spatial dimension of a convolution. Sizes are in elements, before any dilation; `padding_low`
// is the padding before the first element and may be negative.
struct ConvolvedDimension {
  int64_t input = 0, kernel = 0, output = 0;
  int64_t stride = 1, padding_low = 0;
  int64_t input_dilation = 1, kernel_dilation = 1;
};

// Returns how many pairs of an output position and a kernel position read an element of the input,
// instead of its padding or a hole that dilation makes. For kernels of more than some ten thousand
// elements all pairs count.
double ConvolutionTapsOf(const ConvolvedDimension& dimension);

}  // namespace acceld::ir
