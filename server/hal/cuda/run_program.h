#pragma once

#include "server/hal/cuda/cuda_module.h"
#include "server/hal/cuda/fences.h"
#include "server/hal/device.h"

namespace acceld::hal::cuda {

// Enqueues a run of the launch's module, which is a CudaModule, on `stream`: one after the other
// what its steps launch. Where they depend on values of the device it waits for these, and routines
// that no library has it computes by itself, so with a module that takes_host() this takes about as
// long as the run.
// CANCELLED once the launch is, as far as that is seen here; the errors of the driver. What was
// enqueued before an error goes on.
//
// `workspace` has the module's workspace_bytes, and is the stream's; 0 when there are none. So are
// `handles`; nullptr for a module without device routines.
absl::Status RunProgram(Context& context, const Launch& launch, const Fence& fence,
                        CuPointer workspace, kernels::cuda::RoutineHandles* handles,
                        CuStream stream);

}  // namespace acceld::hal::cuda
