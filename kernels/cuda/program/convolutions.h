#pragma once

#include <functional>
#include <string>

#include "kernels/cuda/program/program.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cuda {

// Whether cuDNN computes it; it has a CudnnForm then.
using IsOfLibrary = std::function<bool(const ConvolutionStep& convolution)>;

// What a convolution wants of memory between its operands and its result, whoever computes it.
int64_t ConvolutionScratchBytes(const ConvolutionStep& convolution, bool is_of_library);

// Makes launches of the program's convolutions, and those of the library what cuDNN knows, between
// launches that move filters where these lie otherwise. In loops only large ones are the library's.
// Adds their kernels to the program, equal ones once, and their source to `source`.
void LowerConvolutions(const IsOfLibrary& is_of_library, CudaProgram& program, std::string& source);

}  // namespace acceld::kernels::cuda
