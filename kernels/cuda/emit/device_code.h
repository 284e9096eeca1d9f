#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"

// Code of devices that is not generated (kernels/cuda/device).
namespace acceld::kernels::cuda {

// What stands before the kernels of a module, once.
absl::string_view ModulePrelude();

// What stands between that and convolutions, once.
absl::string_view ConvolutionPrelude();

// A module of its own: what graphs launch besides a program's kernels. It calls a function that the
// driver has when it loads the code.
absl::string_view GraphSource();
// How many words its kernels take at a time.
inline constexpr size_t kGraphWords = 480;

}  // namespace acceld::kernels::cuda
