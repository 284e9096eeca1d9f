#pragma once

#include <vector>

#include "kernels/cuda/cublas/matmul.h"
#include "server/hal/cuda/cuda_module.h"
#include "server/hal/cuda/streams/fence_pool.h"
#include "server/hal/device.h"

namespace acceld::hal::cuda {

// Maps the slices that a module's program names to device addresses in one run of the module. The
// arguments of the constructor must outlive the object.
class RunAddresses {
 public:
  // `workspace` is the address of CudaModule::workspace_bytes() of device memory; 0 if that is 0.
  RunAddresses(const Launch& launch, const Fence& fence, CuPointer workspace)
      : launch_(launch),
        module_(static_cast<const CudaModule&>(*launch.module)),
        fence_(fence),
        workspace_(workspace) {}

  // Returns the address of a slice, or the addresses of the operands and results of a product.
  CuPointer Of(const kernels::Slice& slice) const;
  kernels::cuda::Matmul::DeviceAddresses Of(const kernels::MatmulStep& step) const;
  CuPointer workspace() const { return workspace_; }
  // The address of an int that is not 0 once the run should stop (Fence::Shared::cancelled).
  CuPointer cancelled() const;

  // Returns the base addresses of the run, in the order in which kernels::cuda::BufferLocations
  // numbers them: arguments, results, arena, constants, and cancelled().
  std::vector<CuPointer> Bases() const;

 private:
  CuPointer Arena() const;

  const Launch& launch_;
  const CudaModule& module_;
  const Fence& fence_;
  const CuPointer workspace_;
};

}  // namespace acceld::hal::cuda
