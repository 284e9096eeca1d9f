#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/status.h"
#include "kernels/cuda/cublas/cublas_lt.h"
#include "kernels/cuda/cudnn/cudnn.h"
#include "kernels/cuda/routines/routine_handles.h"
#include "server/hal/cuda/cuda_compiler.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/driver/driver.h"
#include "server/hal/cuda/driver/find_devices.h"
#include "server/hal/cuda/libraries.h"
#include "server/hal/device.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

struct CudaDeviceOptions {
  // Of what is free when the device is opened.
  double memory_fraction = 0.9;
  // In bytes; 0: by the fraction.
  int64_t memory_bytes = 0;
};

// What devices use of CUDA besides the driver: this machine's, or a test's own.
struct Toolkit {
  FindCompiler find_compiler;  // must be set
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

// A device with what its code generator needs to compile for it and to measure algorithms on it.
// The parts that are shared may outlive the device.
struct OpenedCudaDevice {
  std::unique_ptr<Device> device;
  CudaCompiler compiler;
  std::shared_ptr<Context> context;
  std::shared_ptr<const Libraries> libraries;
  std::shared_ptr<MemoryPool> memory;
};

// Opens GPUs of the driver, which outlives them as the toolkit does: for each of `devices`, in this
// order, the device or why it cannot be used. INVALID_ARGUMENT for options out of range.
std::vector<absl::StatusOr<OpenedCudaDevice>> OpenCudaDevices(
    const Driver& driver, const std::vector<CudaDevice>& devices, const CudaDeviceOptions& options,
    const Toolkit& toolkit);

}  // namespace acceld::hal::cuda
