#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cuda/emit/cuda_kernel.h"
#include "kernels/ir/plan.h"

// Convolutions as kernels of a program's module (device/convolution.cuh), for what no library does.
namespace acceld::kernels::cuda {

// Whether such kernels compute this convolution: floats of 16 bits and more, any shape that fits
// into a launch. The places of its operands are not looked at.
bool CanPrintConvolution(const ConvolutionStep& convolution);

// What the sums of parts of a long reduction take; 0 where it is not cut. It follows from the shape
// and the types alone, as does the order of all sums.
int64_t PartsBytesOf(const ConvolutionStep& convolution);

// A convolution that CanPrintConvolution, as functions of a module behind ConvolutionPrelude().
// `name` takes (lhs, rhs, out) and is all there is; with PartsBytesOf it takes (lhs, rhs, parts),
// and name_sum (parts, out) comes after it.
std::vector<CudaKernel> PrintConvolution(const ConvolutionStep& convolution,
                                         const std::string& name);

}  // namespace acceld::kernels::cuda
