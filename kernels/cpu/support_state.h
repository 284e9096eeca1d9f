#pragma once

#include "common/status.h"
#include "common/threads/mutex.h"
#include "kernels/cpu/cpu_module.h"

namespace acceld::kernels::cpu {

// What one Run keeps while native code works: the code's context, and the first failure that the
// run-time support met. The support gets the context's address back from the code and finds the
// rest behind it. Fail may be called from any thread of the team.
struct RunState {
  LaunchContext context;
  Mutex mutex;
  absl::Status failure ABSL_GUARDED_BY(mutex);

  explicit RunState(const LaunchContext& launch) : context(launch) {}
  static RunState& Of(const LaunchContext* context) {
    return *const_cast<RunState*>(reinterpret_cast<const RunState*>(context));
  }

  void Fail(absl::Status status) {
    const MutexLock lock(mutex);
    if (failure.ok()) failure = std::move(status);
  }
};

}  // namespace acceld::kernels::cpu
