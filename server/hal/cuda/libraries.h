#pragma once

#include <memory>
#include <string>

#include "kernels/cuda/cublas/cublas_lt.h"
#include "server/hal/cuda/device_convolutions.h"
#include "server/hal/cuda/device_routines.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// The libraries that one device uses, opened for it. Shared by its modules. Thread-safe.
class Libraries {
 public:
  // `cublas_lt` and `cudnn`, which outlive it as the others do, may be nullptr: there is none. It
  // is the same, with a warning, when cuBLASLt does not work on the device. `compile` makes code
  // for the device.
  static absl::StatusOr<std::shared_ptr<const Libraries>> Open(
      std::shared_ptr<Context> context, const kernels::cuda::CublasLt* cublas_lt,
      const kernels::cuda::Cudnn* cudnn, const kernels::cuda::RoutineLibraries& of_routines,
      kernels::cuda::CompileSource compile);
  ~Libraries();
  Libraries(const Libraries&) = delete;
  Libraries& operator=(const Libraries&) = delete;

  const kernels::cuda::CublasLt* cublas_lt() const { return cublas_lt_; }
  kernels::cuda::CublasLt::Handle cublas_lt_handle() const { return handle_; }
  // Whether cuBLASLt is there and runs the product on this device.
  bool SupportsMatmul(const kernels::MatmulStep& matmul) const;
  // "13.1.0"; empty without it.
  const std::string& cublas_lt_version() const { return cublas_lt_version_; }
  // Where the algorithms that a program names hold: these versions of the libraries on this kind of
  // device.
  std::string measured_on() const;
  DeviceConvolutions& convolutions() const { return *convolutions_; }
  DeviceRoutines& routines() const { return *routines_; }

 private:
  Libraries(std::shared_ptr<Context> context, const kernels::cuda::CublasLt* cublas_lt,
            std::unique_ptr<DeviceConvolutions> convolutions,
            std::unique_ptr<DeviceRoutines> routines)
      : context_(std::move(context)),
        cublas_lt_(cublas_lt),
        convolutions_(std::move(convolutions)),
        routines_(std::move(routines)) {}
  absl::Status OpenCublasLt();

  const std::shared_ptr<Context> context_;
  const kernels::cuda::CublasLt* cublas_lt_;
  const std::unique_ptr<DeviceConvolutions> convolutions_;
  const std::unique_ptr<DeviceRoutines> routines_;
  kernels::cuda::CublasLt::Handle handle_ = nullptr;
  std::string cublas_lt_version_;
};

}  // namespace acceld::hal::cuda
