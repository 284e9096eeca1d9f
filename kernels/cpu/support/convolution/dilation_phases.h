#pragma once

#include <vector>

#include "kernels/ir/convolution_shape.h"

namespace acceld::kernels::cpu {

// A convolution of some of the places of another, at offsets in elements of its kernel and output.
struct ConvolutionPhase {
  ConvolutionShape shape;
  int64_t rhs_offset = 0;
  int64_t out_offset = 0;
  bool is_zero = false;  // no cell has an element: all sums are 0
};

// A convolution whose input is dilated, as the gradient of one with strides is, reads elements in
// some cells only, and which ones follows from the place modulo the dilation: one phase for each
// remainder, with its cells and an input that lies close. Dimensions with strides stay as they are.
// Kernel elements in cells without an element are left out rather than multiplied by 0. Without
// dilation the shape itself is the only phase. The layout of the kernel as one matrix is lost.
std::vector<ConvolutionPhase> SplitDilation(const ConvolutionShape& shape);

}  // namespace acceld::kernels::cpu
