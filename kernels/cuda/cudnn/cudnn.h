#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::kernels::cuda {

// The functions of cuDNN, NVIDIA's library of convolutions. The library is loaded at run time, so
// that programs also start on machines without it. It is a table of function pointers, so that
// tests can replace them. Thread-safe, except that only one thread at a time may use a handle.
struct Cudnn {
  using Result = int;  // cudnnStatus_t
  using Handle = struct CudnnContext*;
  // A descriptor of a tensor, a filter or a convolution.
  using Descriptor = struct CudnnDescriptor*;
  using Stream = void*;
  // cudnnConvolutionFwdAlgoPerf_t and the two others, which have the same layout.
  struct Algorithm {
    int number;
    Result status;
    float milliseconds;
    size_t workspace_bytes;
    int is_deterministic;
    int math;
    int reserved[3];
  };

  // Loads the library on the first call. Returns FAILED_PRECONDITION, with the paths that were
  // tried, if it cannot be loaded; every call has the same outcome.
  static const absl::StatusOr<Cudnn>& Get();

  // Converts a result of the library to a status with its number; `what` is the function's name.
  // Returns UNIMPLEMENTED for operations that the library does not support, RESOURCE_EXHAUSTED when
  // it has no memory, INTERNAL for other errors.
  static absl::Status Check(Result result, absl::string_view what);

#define ACCELD_CUDNN_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#include "kernels/cuda/cudnn/symbols.def"
};

// A cuDNN handle that enqueues on one stream. The handle is created on the first use, because that
// takes up to a second and some device memory. Thread-compatible. The threads that use and destroy
// the object must have the stream's device current; nothing that was enqueued with the handle may
// be running when it is destroyed.
class CudnnHandle {
 public:
  // `library` must outlive the object. If `stream` is nullptr, the handle may only be used for
  // queries.
  CudnnHandle(const Cudnn& library, Cudnn::Stream stream) : library_(library), stream_(stream) {}
  ~CudnnHandle();
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;

  // Returns the handle, which the first call creates.
  absl::StatusOr<Cudnn::Handle> Get();

 private:
  const Cudnn& library_;
  const Cudnn::Stream stream_;
  Cudnn::Handle handle_ = nullptr;
};

}  // namespace acceld::kernels::cuda
