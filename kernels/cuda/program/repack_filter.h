#pragma once

#include <string>

#include "kernels/cuda/cudnn/convolution_form.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Returns a kernel with the buffers (from, to) that copies a filter from the layout form.filter to
// the layout form.PackedFilter(), which cuDNN requires; with `back`, the other way round.
Kernel RepackFilter(const CudnnForm& form, ir::DType dtype, bool back, const std::string& name);

}  // namespace acceld::kernels::cuda
