#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// What the function of a kernel has besides the kernel's buffers and its body.
struct KernelFrame {
  int threads = 1;  // the number of threads of each block, for which registers must suffice
  // Whether the body resolves tagged pointers (device/tagged_pointers.cuh) at each use. If not, the
  // function resolves each parameter once, at its start.
  bool resolves_at_use = false;
  bool polls = false;        // whether the body reads *cancelled, which is then a parameter
  int reduction_values = 0;  // of the array `space` in shared memory (SharedMemory)
};

// Returns the definition of the kernel's function (CudaKernel::source). `body` is lines of C++,
// indented by two spaces, and each ends in a newline.
std::string KernelFunction(const Kernel& kernel, const KernelFrame& frame, absl::string_view body);

}  // namespace acceld::kernels::cuda
