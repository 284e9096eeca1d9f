#pragma once

#include <vector>

#include "kernels/ir/convolution_shape.h"

namespace acceld::kernels::cpu {

// A convolution that computes some of the output positions of another one. The offsets are in
// elements of the other one's kernel and output.
struct ConvolutionPhase {
  ConvolutionShape shape;
  int64_t rhs_offset = 0;
  int64_t out_offset = 0;
  bool is_zero = false;  // no cell of the window has an input element: all sums are 0
};

// Splits a convolution with a dilated input, such as the gradient of a convolution with strides. In
// a dilated input only some cells of the window have an element, and which ones depends on the
// output position modulo the dilation. Returns one phase for each remainder: a convolution without
// dilation, with those cells only, so that kernel elements without an input element are left out
// instead of being multiplied by 0. Dimensions that also have strides stay as they are. Without
// dilation the shape itself is the only phase. In phases the kernel cannot be read as one matrix
// (rhs_row_stride).
std::vector<ConvolutionPhase> SplitDilation(const ConvolutionShape& shape);

}  // namespace acceld::kernels::cpu
