#include "kernels/cpu/run_routine.h"

#include <vector>

#include "kernels/cpu/routine_key.h"
#include "kernels/cpu/run_state.h"
#include "kernels/cpu/support/routine.h"

namespace acceld::kernels::cpu {

absl::Status RunRoutineOnHost(const RoutineCall& call, void* const* addresses, CpuRuntime* runtime,
                              int num_threads, const volatile bool* interrupted,
                              InterruptHandler* interrupt_handler) {
  RunState state(LaunchContext{.arguments = nullptr,
                               .results = nullptr,
                               .arena = nullptr,
                               .constants = nullptr,
                               .num_threads = num_threads,
                               .interrupted = interrupted,
                               .interrupt_handler = interrupt_handler,
                               .runtime = runtime});
  const std::vector<int64_t> key = RoutineKeyOf(call);
  switch (static_cast<CodeStatus>(RunRoutine(&state.context, key.data(), addresses))) {
    case CodeStatus::kOk:
      return absl::OkStatus();
    case CodeStatus::kCancelled:
      return absl::CancelledError("launch: cancelled");
    case CodeStatus::kFailed:
      break;
  }
  const MutexLock lock(state.mutex);
  return state.failure;
}

}  // namespace acceld::kernels::cpu
