#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::kernels::cuda {

// NVIDIA's library of convolutions, opened when it is first asked for: a program that has it as a
// part starts on machines without it. A table of its functions, so that tests bring their own. Any
// thread may call, but only one at a time with the same handle.
struct Cudnn {
  using Result = int;  // cudnnStatus_t
  using Handle = struct CudnnContext*;
  // Of a tensor, a filter or a convolution.
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

  // FAILED_PRECONDITION, always the same, with what was looked for when there is none.
  static const absl::StatusOr<Cudnn>& Get();

  // OK, or an error with the number of `result` of `what`: UNIMPLEMENTED for what the library does
  // not do, RESOURCE_EXHAUSTED when it has no memory, else INTERNAL.
  static absl::Status Check(Result result, absl::string_view what);

#define ACCELD_CUDNN_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#include "kernels/cuda/cudnn/symbols.def"
};

// A handle on one stream, made when it is first asked for: that takes up to a second and some of
// the device's memory. For one thread at a time, which works on the stream's device; so does the
// one that destroys it, when nothing of it runs any more.
class CudnnHandle {
 public:
  // `library` outlives it. Without a stream it is for questions alone.
  CudnnHandle(const Cudnn& library, Cudnn::Stream stream) : library_(library), stream_(stream) {}
  ~CudnnHandle();
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;

  absl::StatusOr<Cudnn::Handle> Get();

 private:
  const Cudnn& library_;
  const Cudnn::Stream stream_;
  Cudnn::Handle handle_ = nullptr;
};

}  // namespace acceld::kernels::cuda
