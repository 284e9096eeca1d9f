#pragma once

#include "kernels/cuda/emit/cuda_kernel.h"

namespace acceld::kernels::cuda {

// A kernel with `digit_sort`, as a call of what device/digit_sort.cuh has for it: unlike loops, it
// counts and moves with all threads of a block.
CudaKernel PrintDigitSort(const Kernel& kernel);

}  // namespace acceld::kernels::cuda
