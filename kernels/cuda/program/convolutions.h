#pragma once

#include <functional>
#include <string>

#include "kernels/cuda/program/program.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cuda {

// Tells whether cuDNN should compute a convolution. If it returns true, the convolution has a
// CudnnForm.
using UsesLibrary = std::function<bool(const ConvolutionStep& convolution)>;

// The size of ConvolutionStep::scratch that a convolution needs, for partial sums or for a repacked
// filter. With `uses_library` it suffices whether cuDNN or a kernel computes the convolution.
int64_t ConvolutionScratchBytes(const ConvolutionStep& convolution, bool uses_library);

// Replaces the convolutions of the program. One that cuDNN computes becomes a ConvolutionStep with
// a packed filter, with a LaunchStep before or after it that repacks the filter if necessary; the
// others become LaunchSteps of generated kernels. Inside loops and branches cuDNN computes only
// large convolutions. Adds the kernels to the program, equal ones once, and appends their source to
// `source`.
void LowerConvolutions(const UsesLibrary& uses_library, CudaProgram& program, std::string& source);

}  // namespace acceld::kernels::cuda
