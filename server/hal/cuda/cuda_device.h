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
#include "server/hal/cuda/nccl/nccl.h"
#include "server/hal/device.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// The memory budget of each opened GPU.
struct CudaDeviceOptions {
  // The budget as a fraction of the memory that is free when the device is opened, if memory_bytes
  // is 0.
  double memory_fraction = 0.9;
  // The budget in bytes; 0: memory_fraction decides.
  int64_t memory_bytes = 0;
};

// The compiler and the libraries of CUDA that devices use in addition to the driver. The defaults
// load the libraries of this machine; tests substitute their own. The functions are called only
// when a device is opened, because the libraries are large.
struct Toolkit {
  FindCompiler find_compiler;  // must be set
  // Without cuBLASLt, matrix products run as generated kernels.
  std::function<const absl::StatusOr<kernels::cuda::CublasLt>&()> find_cublas_lt =
      kernels::cuda::CublasLt::Get;
  // Without cuDNN, convolutions run as generated kernels.
  std::function<const absl::StatusOr<kernels::cuda::Cudnn>&()> find_cudnn =
      kernels::cuda::Cudnn::Get;
  // The libraries for routines (kernels/ir/routines.def). Without the library for a routine, the
  // routine runs on the host.
  std::function<const absl::StatusOr<kernels::cuda::Cublas>&()> find_cublas =
      kernels::cuda::Cublas::Get;
  std::function<const absl::StatusOr<kernels::cuda::Cufft>&()> find_cufft =
      kernels::cuda::Cufft::Get;
  std::function<const absl::StatusOr<kernels::cuda::Cusolver>&()> find_cusolver =
      kernels::cuda::Cusolver::Get;
  // Without NCCL, programs that exchange values between devices cannot be loaded.
  std::function<const absl::StatusOr<Nccl>&()> find_nccl = Nccl::Get;
};

// An opened GPU, with the parts of it that its code generator uses to compile programs and to
// measure algorithms. The parts with shared ownership may outlive `device`.
struct OpenedCudaDevice {
  std::unique_ptr<Device> device;
  CudaCompiler compiler;
  std::shared_ptr<Context> context;
  std::shared_ptr<const Libraries> libraries;
  std::shared_ptr<MemoryPool> memory;
};

// Opens `devices`, which are GPUs of `driver`. Returns for each of them, in the same order, the
// opened device or the reason why it cannot be used: INVALID_ARGUMENT if `options` are out of
// range, otherwise an error of the compiler, the libraries or the driver. The driver and the
// libraries that `toolkit` finds must outlive the devices.
std::vector<absl::StatusOr<OpenedCudaDevice>> OpenCudaDevices(
    const Driver& driver, const std::vector<CudaDevice>& devices, const CudaDeviceOptions& options,
    const Toolkit& toolkit);

}  // namespace acceld::hal::cuda
