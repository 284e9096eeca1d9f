#pragma once

#include <string>

#include "kernels/cuda/cudnn/convolution_form.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// A kernel (from, to) that moves a filter to where cuDNN has it, or back from there.
Kernel RepackFilter(const CudnnForm& form, ir::DType dtype, bool back, const std::string& name);

}  // namespace acceld::kernels::cuda
