#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "kernels/ir/kernel.h"

// Kernel IR as CUDA C++.
namespace acceld::kernels::cuda {

// A kernel as one function of a module.
struct CudaKernel {
  // extern "C" __global__ void NAME(one pointer for each buffer of the kernel, const volatile int*
  // cancelled if `polls`). Buffers may share their places as far as the kernel allows it.
  std::string source;
  int64_t blocks = 1;
  int threads = 1;            // of a block, a multiple of 32 or 1
  int64_t shared_bytes = 0;   // static shared memory
  bool polls = false;         // stops when *cancelled is not zero
  bool has_barriers = false;  // threads of a block wait for each other
};

// A verified kernel. Results do not depend on the device: how work is cut is decided here.
CudaKernel PrintKernel(const Kernel& kernel);

// What stands before the kernels of a module, once.
absl::string_view ModulePrelude();

}  // namespace acceld::kernels::cuda
