#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/cuda/cudnn/cudnn.h"
#include "server/hal/cuda/cuda_module.h"
#include "server/hal/cuda/host_workspace.h"
#include "server/hal/cuda/streams/fence_pool.h"
#include "server/hal/device.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// Counts the launches on a device; see hal::LaunchCounts. Thread-safe.
struct LaunchCounters {
  std::atomic<uint64_t> graphs = 0, steps = 0;
};

// The parts of a device and of one of its streams that runs on the stream use.
struct RunParts {
  Context& context;
  MemoryPool& memory;  // for the address tables of graphs
  LaunchCounters& counters;
  HostWorkspaceBudget& host_workspace;  // for routines on the host
  CuPointer workspace = 0;              // of CudaModule::workspace_bytes(); 0 if that is 0
  kernels::cuda::RoutineHandles* handles = nullptr;  // of the stream, for routines on the device
  kernels::cuda::CudnnHandle* cudnn = nullptr;       // of the stream, for convolutions
  CuStream stream = nullptr;
};

// Enqueues a run of `launch.module`, which must be a CudaModule, on `parts.stream`: the steps one
// by one, or graphs of several steps. Where steps depend on values on the device, the function
// waits for these values, and it computes on the host the routines that no library computes. So it
// blocks for about as long as the run takes if the module needs_host(). The device's context must
// be current on the calling thread. Returns CANCELLED if the function notices that the launch was
// cancelled, and the errors of the driver. Work that was enqueued before an error still runs.
absl::Status RunProgram(const RunParts& parts, const Launch& launch, const Fence& fence);

}  // namespace acceld::hal::cuda
