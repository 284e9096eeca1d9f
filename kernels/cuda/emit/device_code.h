#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"

// Device code that is not generated: the text of files in kernels/cuda/device.
namespace acceld::kernels::cuda {

// The source that must precede all kernels of a module, once.
absl::string_view ModulePrelude();

// The source that must follow ModulePrelude() and precede convolution kernels, once in a module.
absl::string_view ConvolutionPrelude();

// The source of a separate module: the kernels that CUDA graphs launch in addition to a program's
// kernels. It must be compiled to PTX, because it calls cudaGraphSetConditional, a device function
// that the driver provides when it loads the code.
absl::string_view GraphSource();
// The number of 8-byte words that a launch of its kernels passes as a parameter.
inline constexpr size_t kGraphWords = 480;

}  // namespace acceld::kernels::cuda
