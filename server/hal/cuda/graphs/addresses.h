#pragma once

#include <vector>

#include "kernels/cuda/cublas/matmul.h"
#include "server/hal/cuda/cuda_module.h"
#include "server/hal/cuda/streams/fences.h"
#include "server/hal/device.h"

namespace acceld::hal::cuda {

// Where on the device one run of a module has what its program names. All that it is made of
// outlives it.
class Addresses {
 public:
  // `workspace`: of the module's workspace_bytes, if there are any.
  Addresses(const Launch& launch, const Fence& fence, CuPointer workspace)
      : launch_(launch),
        module_(static_cast<const CudaModule&>(*launch.module)),
        fence_(fence),
        workspace_(workspace) {}

  CuPointer Of(const kernels::Slice& slice) const;
  kernels::cuda::Matmul::Places Of(const kernels::MatmulStep& step) const;
  CuPointer workspace() const { return workspace_; }
  // Of what is not 0 once the run should stop.
  CuPointer cancelled() const;

  // As kernels::cuda::Places counts them.
  std::vector<CuPointer> Bases() const;

 private:
  CuPointer Arena() const;

  const Launch& launch_;
  const CudaModule& module_;
  const Fence& fence_;
  const CuPointer workspace_;
};

}  // namespace acceld::hal::cuda
