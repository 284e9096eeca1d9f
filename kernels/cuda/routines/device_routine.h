#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "absl/types/span.h"
#include "common/status.h"
#include "kernels/cuda/routines/routine_handles.h"
#include "kernels/cuda/routines/routine_kernels.h"
#include "kernels/ir/routine.h"

namespace acceld::kernels::cuda {

// The inputs of one run of a routine: device addresses, aligned to kBufferAlignment, and handles.
// The workspace and the handles must not be in use otherwise.
struct RoutineBuffers {
  absl::Span<const uint64_t> operands, results;  // in the order of the RoutineCall
  uint64_t workspace = 0;                        // aligned to kWorkspaceAlignment
  RoutineHandles* handles = nullptr;             // those of the stream to enqueue on
  const std::atomic<bool>* cancelled = nullptr;  // becomes true if the run is cancelled; optional

  // Returns CANCELLED if the run is cancelled. Routines that make many library calls check this
  // between two of them.
  absl::Status CheckNotCancelled() const {
    return cancelled != nullptr && cancelled->load() ? absl::CancelledError("launch: cancelled")
                                                     : absl::OkStatus();
  }
};

inline constexpr int64_t kWorkspaceAlignment = 256;

// A call of a routine that has been prepared for computation on the device, by libraries. Its
// results have the meaning that kernels/ir/routines.def specifies. Immutable.
struct DeviceRoutine {
  int64_t workspace_bytes = 0;
  // Whether enqueuing it may take long: the library looks at values of the device in between, or
  // there is more to enqueue than a stream takes at once.
  bool needs_host = false;
  bool uses_handles = true;  // beside their stream
  // Of the device, that the library keeps for it; an estimate.
  int64_t device_bytes = 0;
  // Enqueues it on the handles' stream; from any thread. Reads operands and writes results, which
  // share no bytes.
  std::function<absl::Status(const RoutineBuffers& buffers)> enqueue;
};

// The inputs of preparing a routine. `libraries` and `launch` must outlive the prepared routines.
struct RoutineContext {
  const RoutineLibraries& libraries;
  const LaunchRoutineKernel& launch;
  RoutineHandles& handles;  // for queries of workspace sizes
};

// Prepares a call that CheckRoutine accepts; the calling thread must have the device current.
// Returns UNIMPLEMENTED if there is no library for the routine, or it does not support the types or
// sizes, or the CPU would be faster; else the library's errors. The first call may take seconds,
// later ones milliseconds.
absl::StatusOr<DeviceRoutine> PrepareRoutine(const RoutineCall& call,
                                             const RoutineContext& context);

}  // namespace acceld::kernels::cuda
