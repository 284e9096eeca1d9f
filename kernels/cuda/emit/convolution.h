#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cuda/emit/cuda_kernel.h"
#include "kernels/ir/plan.h"

// Convolutions as kernels of a program's module (device/convolution.cuh), for convolutions that no
// library computes.
namespace acceld::kernels::cuda {

// Whether PrintConvolution supports the convolution: its element types are floats of 16 bits or
// more, and its shape fits into a launch. The slices of the operands are not checked.
bool CanPrintConvolution(const ConvolutionStep& convolution);

// The bytes of working memory for partial sums, if the sum of each output element is split into
// parts, else 0. The result and the order of all sums depend only on the shape and the element
// types, not on the device.
int64_t PartialSumBytesOf(const ConvolutionStep& convolution);

// Prints a convolution for which CanPrintConvolution is true, as one or two kernels, which must
// follow ConvolutionPrelude() in the module. If PartialSumBytesOf is 0 it is the kernel
// `name`(lhs, rhs, out), else the kernels `name`(lhs, rhs, parts) and then `name`_sum(parts, out).
std::vector<CudaKernel> PrintConvolution(const ConvolutionStep& convolution,
                                         const std::string& name);

}  // namespace acceld::kernels::cuda
