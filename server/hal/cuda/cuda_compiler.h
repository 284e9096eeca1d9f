#pragma once

#include <functional>
#include <string>

#include "common/status.h"
#include "kernels/cuda/program/make_program.h"

namespace acceld::hal::cuda {

// Compiles CUDA C++ for devices of one architecture. The devices themselves need it for the few
// kernels that are not part of a program, those that steer graphs and complete library routines.
// NVRTC is one such compiler (server/codegen/cuda/nvrtc_compiler.h). The functions are thread-safe.
struct CudaCompiler {
  std::string name;      // of the compiler and the architecture, as part of cache keys
  int architecture = 0;  // 90 for sm_90
  kernels::cuda::CompileSource compile;         // to machine code
  kernels::cuda::CompileSource compile_to_ptx;  // to PTX, which the driver compiles
};
// The compiler for devices of an architecture, or why there is none.
using FindCompiler = std::function<absl::StatusOr<CudaCompiler>(int architecture)>;

}  // namespace acceld::hal::cuda
