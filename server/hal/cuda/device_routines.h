#pragma once

#include <memory>
#include <vector>

#include "common/threads/mutex.h"
#include "kernels/cuda/program/make_program.h"
#include "kernels/cuda/routines/device_routine.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// Prepares routines (kernels/ir/routines.def) for one GPU: chooses the library functions, and
// compiles the kernels that complement them. Shared by the modules of the device through Libraries.
// Prepared routines refer to this object, which must outlive them. Thread-safe.
class DeviceRoutines {
 public:
  // The libraries must outlive the object. `compile` compiles CUDA C++ for the device.
  DeviceRoutines(std::shared_ptr<Context> context, const kernels::cuda::RoutineLibraries& libraries,
                 kernels::cuda::CompileSource compile);
  ~DeviceRoutines();
  DeviceRoutines(const DeviceRoutines&) = delete;
  DeviceRoutines& operator=(const DeviceRoutines&) = delete;

  const kernels::cuda::RoutineLibraries& libraries() const { return libraries_; }
  // Prepares a call of a routine to run on the device. Returns the errors of
  // kernels::cuda::PrepareRoutine, and errors of compiling the kernels. The first calls may take
  // seconds.
  absl::StatusOr<kernels::cuda::DeviceRoutine> Prepare(const kernels::RoutineCall& call);

 private:
  // Compiles and loads the kernels that complement library functions.
  absl::Status LoadKernels() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Enqueues one of these kernels on `stream`, in blocks of 256 threads.
  absl::Status Launch(kernels::cuda::RoutineKernel kernel, int64_t blocks,
                      absl::Span<const uint64_t> parameters, void* stream) const;

  const std::shared_ptr<Context> context_;
  const kernels::cuda::RoutineLibraries libraries_;
  const kernels::cuda::CompileSource compile_;
  const kernels::cuda::LaunchRoutineKernel launch_;
  Mutex mutex_;
  // for queries to the libraries
  std::unique_ptr<kernels::cuda::RoutineHandles> handles_ ABSL_GUARDED_BY(mutex_);
  CuModule module_ ABSL_GUARDED_BY(mutex_) = nullptr;
  // Indexed by RoutineKernel. Filled before the first routine is prepared, and constant from then
  // on.
  std::vector<CuFunction> functions_;
};

}  // namespace acceld::hal::cuda
