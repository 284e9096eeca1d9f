#pragma once

#include "kernels/cuda/emit/cuda_kernel.h"

namespace acceld::kernels::cuda {

// Prints a kernel with Kernel::digit_sort as a call of a function of device/digit_sort.cuh. Unlike
// the kernel's loops, that function counts and moves the keys of a tile with all threads of a
// block.
CudaKernel PrintDigitSort(const Kernel& kernel);

}  // namespace acceld::kernels::cuda
