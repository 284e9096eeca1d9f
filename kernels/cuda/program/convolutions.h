#pragma once

#include <functional>
#include <string>

#include "kernels/cuda/program/program.h"

namespace acceld::kernels::cuda {

// Whether a library computes it.
using IsOfLibrary = std::function<bool(const ConvolutionStep& convolution)>;

// Makes launches of the program's convolutions, except those of a library: adds their kernels to
// the program, equal ones once, and their source to `source`.
void LowerConvolutions(const IsOfLibrary& is_of_library, CudaProgram& program, std::string& source);

}  // namespace acceld::kernels::cuda
