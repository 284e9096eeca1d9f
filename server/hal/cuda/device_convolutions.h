#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/threads/mutex.h"
#include "kernels/cuda/cudnn/convolution.h"
#include "kernels/cuda/cudnn/cudnn.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// Queries cuDNN about convolutions on one GPU, and prepares them. Thread-safe: a mutex lets one
// query run at a time. The first query creates a cuDNN handle, which takes up to a second.
class DeviceConvolutions {
 public:
  // `library` must outlive the object; nullptr means that cuDNN is not available. Returns an error
  // if the library does not report its version.
  static absl::StatusOr<std::unique_ptr<DeviceConvolutions>> Open(
      std::shared_ptr<Context> context, const kernels::cuda::Cudnn* library);
  ~DeviceConvolutions();
  DeviceConvolutions(const DeviceConvolutions&) = delete;
  DeviceConvolutions& operator=(const DeviceConvolutions&) = delete;

  const kernels::cuda::Cudnn* library() const { return library_; }
  // For example "9.12.0"; empty if cuDNN is not available.
  const std::string& version() const { return version_; }

  // Whether cuDNN computes this convolution on this GPU, provided that the filter is in the layout
  // that cuDNN requires; a program rearranges filters that are in another layout. Returns false if
  // cuDNN is not available.
  bool Supports(const kernels::ConvolutionStep& convolution);
  // The functions of the same names of CudnnConvolution, for this GPU. Both return
  // FAILED_PRECONDITION if cuDNN is not available.
  absl::StatusOr<std::vector<std::string>> FindAlgorithms(
      const kernels::ConvolutionStep& convolution);
  absl::StatusOr<std::unique_ptr<const kernels::cuda::CudnnConvolution>> Prepare(
      const kernels::ConvolutionStep& convolution);

 private:
  DeviceConvolutions(std::shared_ptr<Context> context, const kernels::cuda::Cudnn* library)
      : context_(std::move(context)), library_(library) {}
  // Returns the handle for queries, which the first call creates. Makes the device's context
  // current on the calling thread.
  absl::StatusOr<kernels::cuda::Cudnn::Handle> Handle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<Context> context_;
  const kernels::cuda::Cudnn* const library_;
  std::string version_;
  Mutex mutex_;
  std::unique_ptr<kernels::cuda::CudnnHandle> handle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::hal::cuda
