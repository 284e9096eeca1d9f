#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/cuda/cudnn/cudnn.h"
#include "server/hal/cuda/cuda_module.h"
#include "server/hal/cuda/streams/fences.h"
#include "server/hal/device.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// What a device has launched. Thread-safe.
struct LaunchCounters {
  std::atomic<uint64_t> graphs = 0, steps = 0;
};

// What runs on one stream use.
struct RunParts {
  Context& context;
  MemoryPool& memory;  // for what graphs need
  LaunchCounters& counters;
  CuPointer workspace = 0;  // the stream's, of the module's workspace_bytes if there are any
  kernels::cuda::RoutineHandles* handles = nullptr;  // the stream's, for device routines
  kernels::cuda::CudnnHandle* cudnn = nullptr;       // the stream's, for convolutions
  CuStream stream = nullptr;
};

// Enqueues a run of the launch's module, which is a CudaModule, on `stream`: one after the other
// what its steps launch, or graphs of them. Where they depend on values of the device it waits for
// these, and routines that no library has it computes by itself, so with a module that takes_host()
// this takes about as long as the run. CANCELLED once the launch is, as far as that is seen here;
// the errors of the driver. What was enqueued before an error goes on.
absl::Status RunProgram(const RunParts& parts, const Launch& launch, const Fence& fence);

}  // namespace acceld::hal::cuda
