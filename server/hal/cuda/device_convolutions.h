#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/threads/mutex.h"
#include "kernels/cuda/cudnn/convolution.h"
#include "kernels/cuda/cudnn/cudnn.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// The convolutions of cuDNN on one device: what it says of them. Thread-safe; one question at a
// time, and the first takes up to a second.
class DeviceConvolutions {
 public:
  // `library`, which outlives it, may be nullptr: there is none.
  static absl::StatusOr<std::unique_ptr<DeviceConvolutions>> Open(
      std::shared_ptr<Context> context, const kernels::cuda::Cudnn* library);
  ~DeviceConvolutions();
  DeviceConvolutions(const DeviceConvolutions&) = delete;
  DeviceConvolutions& operator=(const DeviceConvolutions&) = delete;

  const kernels::cuda::Cudnn* library() const { return library_; }
  // "9.12.0"; empty without it.
  const std::string& version() const { return version_; }

  // Whether the library computes it here, with its filter where the library has it.
  bool Supports(const kernels::ConvolutionStep& convolution);
  // As CudnnConvolution has them; FAILED_PRECONDITION without the library.
  absl::StatusOr<std::vector<std::string>> FindAlgorithms(
      const kernels::ConvolutionStep& convolution);
  absl::StatusOr<std::unique_ptr<const kernels::cuda::CudnnConvolution>> Prepare(
      const kernels::ConvolutionStep& convolution);

 private:
  DeviceConvolutions(std::shared_ptr<Context> context, const kernels::cuda::Cudnn* library)
      : context_(std::move(context)), library_(library) {}
  absl::StatusOr<kernels::cuda::Cudnn::Handle> Handle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<Context> context_;
  const kernels::cuda::Cudnn* const library_;
  std::string version_;
  Mutex mutex_;
  std::unique_ptr<kernels::cuda::CudnnHandle> handle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::hal::cuda
