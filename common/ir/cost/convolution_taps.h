#pragma once

#include <cstdint>

namespace acceld::ir {

// One spatial dimension of a convolution. Sizes are in elements, before any dilation; padding may
// be negative and is that before the first element.
struct ConvolvedDimension {
  int64_t input = 0, kernel = 0, output = 0;
  int64_t stride = 1, padding_low = 0;
  int64_t input_dilation = 1, kernel_dilation = 1;
};

// How many pairs of an output and a kernel position meet an element of the input: not its padding,
// and not the holes that dilation makes. Kernels of more than some ten thousand elements count as
// if there were neither.
double ConvolutionTapsOf(const ConvolvedDimension& dimension);

}  // namespace acceld::ir
