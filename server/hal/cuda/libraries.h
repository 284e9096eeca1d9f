#pragma once

#include <memory>
#include <string>

#include "kernels/cpu/cpu_runtime.h"
#include "kernels/cuda/cublas/cublas_lt.h"
#include "server/hal/cuda/device_convolutions.h"
#include "server/hal/cuda/device_routines.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// The CUDA libraries that one device uses: cuBLASLt, cuDNN and the libraries for routines. Shared
// by the modules of the device. Thread-safe.
class Libraries {
 public:
  // Opens the libraries for the device of `context`. `cublas_lt` and `cudnn` may be nullptr, which
  // means that the library is not available. If cuBLASLt does not work on the device, a warning is
  // logged and cuBLASLt counts as not available. `nccl` says whether NCCL is available, and why
  // not. All libraries must outlive the object. `compile` compiles CUDA C++ for the device.
  static absl::StatusOr<std::shared_ptr<const Libraries>> Open(
      std::shared_ptr<Context> context, const kernels::cuda::CublasLt* cublas_lt,
      const kernels::cuda::Cudnn* cudnn, const kernels::cuda::RoutineLibraries& of_routines,
      absl::Status nccl, kernels::cuda::CompileSource compile);
  ~Libraries();
  Libraries(const Libraries&) = delete;
  Libraries& operator=(const Libraries&) = delete;

  // nullptr if cuBLASLt is not available.
  const kernels::cuda::CublasLt* cublas_lt() const { return cublas_lt_; }
  kernels::cuda::CublasLt::Handle cublas_lt_handle() const { return handle_; }
  // Whether cuBLASLt is available and computes the product on this device.
  bool SupportsMatmul(const kernels::MatmulStep& matmul) const;
  // For example "13.1.0"; empty if cuBLASLt is not available.
  const std::string& cublas_lt_version() const { return cublas_lt_version_; }
  // Identifies the versions of the libraries and the model of the device. Measured algorithms are
  // valid only where this text is the same (kernels::cuda::CudaProgram::measured_on).
  std::string measured_on() const;
  DeviceConvolutions& convolutions() const { return *convolutions_; }
  DeviceRoutines& routines() const { return *routines_; }
  // OK if NCCL is available, which programs with collectives need.
  const absl::Status& nccl() const { return nccl_; }
  // For the routines of this device's programs that the host computes.
  kernels::cpu::CpuRuntime& host_runtime() const { return *host_runtime_; }

 private:
  Libraries(std::shared_ptr<Context> context, const kernels::cuda::CublasLt* cublas_lt,
            std::unique_ptr<DeviceConvolutions> convolutions,
            std::unique_ptr<DeviceRoutines> routines, absl::Status nccl)
      : context_(std::move(context)),
        cublas_lt_(cublas_lt),
        convolutions_(std::move(convolutions)),
        routines_(std::move(routines)),
        nccl_(std::move(nccl)) {}
  absl::Status OpenCublasLt();

  const std::shared_ptr<Context> context_;
  const kernels::cuda::CublasLt* cublas_lt_;
  const std::unique_ptr<DeviceConvolutions> convolutions_;
  const std::unique_ptr<DeviceRoutines> routines_;
  const absl::Status nccl_;
  const std::unique_ptr<kernels::cpu::CpuRuntime> host_runtime_ =
      std::make_unique<kernels::cpu::CpuRuntime>();
  kernels::cuda::CublasLt::Handle handle_ = nullptr;
  std::string cublas_lt_version_;
};

}  // namespace acceld::hal::cuda
