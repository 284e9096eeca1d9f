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

// Where a run of a routine finds what it works on: addresses of the device, aligned to
// kBufferAlignment. Nothing else uses the workspace, or `handles`, at the same time.
struct RoutinePlaces {
  absl::Span<const uint64_t> operands, results;  // as in the call
  uint64_t workspace = 0;                        // aligned to kWorkspaceAlignment
  RoutineHandles* handles = nullptr;             // of the stream
  const std::atomic<bool>* cancelled = nullptr;  // may be nullptr

  // Between two calls of many.
  absl::Status CheckNotCancelled() const {
    return cancelled != nullptr && cancelled->load() ? absl::CancelledError("launch: cancelled")
                                                     : absl::OkStatus();
  }
};

inline constexpr int64_t kWorkspaceAlignment = 256;

// A call of a routine that libraries compute on the device, prepared. What it gives means what the
// CPU's routine gives (kernels/ir/routines.def). Immutable.
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
  std::function<absl::Status(const RoutinePlaces& source_locations)> enqueue;
};

// What preparing works with. All but `handles` outlives what is prepared.
struct RoutineContext {
  const RoutineLibraries& libraries;
  const LaunchRoutineKernel& launch;
  RoutineHandles& handles;  // to ask libraries
};

// `call` is one that CheckRoutine accepts; the calling thread works on the device. UNIMPLEMENTED
// when there is no library for it, or that does not serve its types or sizes; else the library's
// errors. The first call may take seconds, later ones milliseconds.
absl::StatusOr<DeviceRoutine> PrepareRoutine(const RoutineCall& call,
                                             const RoutineContext& context);

}  // namespace acceld::kernels::cuda
