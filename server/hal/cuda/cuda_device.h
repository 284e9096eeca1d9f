#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/status.h"
#include "kernels/cuda/cublas/cublas_lt.h"
#include "kernels/cuda/cudnn/cudnn.h"
#include "kernels/cuda/program/make_program.h"
#include "kernels/cuda/routines/routine_handles.h"
#include "server/hal/cuda/driver.h"
#include "server/hal/cuda/find_devices.h"
#include "server/hal/device.h"

namespace acceld::hal::cuda {

struct CudaDeviceOptions {
  // Of what is free when the device is opened.
  double memory_fraction = 0.9;
  // In bytes; 0: by the fraction.
  int64_t memory_bytes = 0;
};

// Makes machine code for a device of this architecture (90 for sm_90), or says why it cannot.
struct CudaCompiler {
  std::string name;  // of this compiler for this architecture, as part of cache keys
  int architecture = 0;
  kernels::cuda::CompileSource compile;
  // To PTX, which the driver compiles.
  kernels::cuda::CompileSource compile_to_ptx;
};
using FindCompiler = std::function<absl::StatusOr<CudaCompiler>(int architecture)>;

// NVRTC.
absl::StatusOr<CudaCompiler> FindNvrtcCompiler(int architecture);

// What devices use of CUDA besides the driver: this machine's, or a test's own.
struct Toolkit {
  FindCompiler find_compiler = FindNvrtcCompiler;
  // Called when there is a device to open: the library is large. Without it matrix products are
  // kernels.
  std::function<const absl::StatusOr<kernels::cuda::CublasLt>&()> find_cublas_lt =
      kernels::cuda::CublasLt::Get;
  // The same of convolutions.
  std::function<const absl::StatusOr<kernels::cuda::Cudnn>&()> find_cudnn =
      kernels::cuda::Cudnn::Get;
  // The same of those for routines, which without them the host computes.
  std::function<const absl::StatusOr<kernels::cuda::Cublas>&()> find_cublas =
      kernels::cuda::Cublas::Get;
  std::function<const absl::StatusOr<kernels::cuda::Cufft>&()> find_cufft =
      kernels::cuda::Cufft::Get;
  std::function<const absl::StatusOr<kernels::cuda::Cusolver>&()> find_cusolver =
      kernels::cuda::Cusolver::Get;
};

// Opens GPUs of the driver, which outlives them as the toolkit does: for each of `devices`, in this
// order, the device or why it cannot be used. INVALID_ARGUMENT for options out of range.
std::vector<absl::StatusOr<std::unique_ptr<Device>>> OpenCudaDevices(
    const Driver& driver, const std::vector<CudaDevice>& devices, const CudaDeviceOptions& options,
    const Toolkit& toolkit = {});

}  // namespace acceld::hal::cuda
