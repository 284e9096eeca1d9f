#pragma once

#include <functional>
#include <string>

#include "common/status.h"
#include "kernels/cuda/program/make_program.h"

namespace acceld::hal::cuda {

// A compiler of CUDA C++ for GPUs of one architecture, for example NVRTC
// (server/codegen/cuda/nvrtc_compiler.h). Besides the code generators, the devices use it, to
// compile the few kernels that are not part of a program: those that control CUDA graphs
// (GraphSupport) and those that complement library routines (DeviceRoutines). The functions are
// thread-safe.
struct CudaCompiler {
  std::string name;                      // part of cache keys, for example "cuda-sm_90-nvrtc-13.0"
  int architecture = 0;                  // 90 for sm_90
  kernels::cuda::CompileSource compile;  // to machine code
  kernels::cuda::CompileSource compile_to_ptx;  // to PTX, which the driver compiles
};
// Returns the compiler for GPUs of an architecture (90 for sm_90), or the reason why there is none.
using FindCompiler = std::function<absl::StatusOr<CudaCompiler>(int architecture)>;

}  // namespace acceld::hal::cuda
