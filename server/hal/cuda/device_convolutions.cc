#include "server/hal/cuda/device_convolutions.h"

#include <utility>

#include "server/hal/cuda/driver/library_versions.h"

namespace acceld::hal::cuda {

using kernels::ConvolutionStep;
using kernels::cuda::Cudnn;
using kernels::cuda::CudnnConvolution;

absl::StatusOr<std::unique_ptr<DeviceConvolutions>> DeviceConvolutions::Open(
    std::shared_ptr<Context> context, const Cudnn* library) {
  std::unique_ptr<DeviceConvolutions> opened(new DeviceConvolutions(std::move(context), library));
  if (library == nullptr) return opened;
  ACCELD_ASSIGN_OR_RETURN(opened->version_,
                          VersionOf<Cudnn>(library->cudnnGetProperty, "cudnnGetProperty"));
  return opened;
}

DeviceConvolutions::~DeviceConvolutions() {
  MutexLock lock(mutex_);
  if (handle_ == nullptr) return;
  context_->EnterForRelease();
  handle_.reset();
}

absl::StatusOr<Cudnn::Handle> DeviceConvolutions::Handle() {
  if (library_ == nullptr) {
    return absl::FailedPreconditionError("the program wants cuDNN, which is not there");
  }
  ACCELD_RETURN_IF_ERROR(context_->Enter());
  if (handle_ == nullptr) {
    handle_ = std::make_unique<kernels::cuda::CudnnHandle>(*library_, /*stream=*/nullptr);
  }
  return handle_->Get();
}

bool DeviceConvolutions::Supports(const ConvolutionStep& convolution) {
  return library_ != nullptr && kernels::cuda::CudnnFormOf(convolution).has_value() &&
         FindAlgorithms(convolution).ok();
}

absl::StatusOr<std::vector<std::string>> DeviceConvolutions::FindAlgorithms(
    const ConvolutionStep& convolution) {
  MutexLock lock(mutex_);
  ACCELD_ASSIGN_OR_RETURN(const Cudnn::Handle handle, Handle());
  return CudnnConvolution::FindAlgorithms(*library_, handle, convolution);
}

absl::StatusOr<std::unique_ptr<const CudnnConvolution>> DeviceConvolutions::Prepare(
    const ConvolutionStep& convolution) {
  MutexLock lock(mutex_);
  ACCELD_ASSIGN_OR_RETURN(const Cudnn::Handle handle, Handle());
  return CudnnConvolution::Prepare(*library_, handle, convolution);
}

}  // namespace acceld::hal::cuda
