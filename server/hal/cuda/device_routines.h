#pragma once

#include <memory>
#include <vector>

#include "common/threads/mutex.h"
#include "kernels/cuda/program/make_program.h"
#include "kernels/cuda/routines/device_routine.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// What one device computes routines with. Shared by its modules through Libraries, which outlives
// what is prepared. Thread-safe.
class DeviceRoutines {
 public:
  // Libraries outlive it. `compile` makes code for the device.
  DeviceRoutines(std::shared_ptr<Context> context, const kernels::cuda::RoutineLibraries& libraries,
                 kernels::cuda::CompileSource compile);
  ~DeviceRoutines();
  DeviceRoutines(const DeviceRoutines&) = delete;
  DeviceRoutines& operator=(const DeviceRoutines&) = delete;

  const kernels::cuda::RoutineLibraries& libraries() const { return libraries_; }
  // The errors of kernels::cuda::PrepareRoutine. The first calls may take seconds.
  absl::StatusOr<kernels::cuda::DeviceRoutine> Prepare(const kernels::RoutineCall& call);

 private:
  absl::Status LoadKernels() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Launch(kernels::cuda::RoutineKernel kernel, int64_t blocks,
                      absl::Span<const uint64_t> parameters, void* stream) const;

  const std::shared_ptr<Context> context_;
  const kernels::cuda::RoutineLibraries libraries_;
  const kernels::cuda::CompileSource compile_;
  const kernels::cuda::LaunchRoutineKernel launch_;
  Mutex mutex_;
  // To ask libraries.
  std::unique_ptr<kernels::cuda::RoutineHandles> handles_ ABSL_GUARDED_BY(mutex_);
  CuModule module_ ABSL_GUARDED_BY(mutex_) = nullptr;
  // By RoutineKernel; complete before anything is prepared, and the same from then on.
  std::vector<CuFunction> functions_;
};

}  // namespace acceld::hal::cuda
