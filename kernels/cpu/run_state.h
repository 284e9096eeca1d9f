#pragma once

#include "common/status.h"
#include "common/threads/mutex.h"
#include "kernels/cpu/cpu_module.h"

namespace acceld::kernels::cpu {

// The state of one run of native code: the context that the code gets, and the first error that the
// run-time support met. Generated code passes the context's address to the run-time support, which
// finds the RunState by it: `context` must stay the first member. Fail is thread-safe: any thread
// that works for the run may call it.
struct RunState {
  LaunchContext context;
  Mutex mutex;
  absl::Status failure ABSL_GUARDED_BY(mutex);

  explicit RunState(const LaunchContext& launch) : context(launch) {}
  // Returns the RunState that `context` is a member of.
  static RunState& Of(const LaunchContext* context) {
    return *const_cast<RunState*>(reinterpret_cast<const RunState*>(context));
  }

  // Records the error of the run, unless an earlier one is recorded.
  void Fail(absl::Status status) {
    const MutexLock lock(mutex);
    if (failure.ok()) failure = std::move(status);
  }
};

}  // namespace acceld::kernels::cpu
