#pragma once

#include "common/status.h"
#include "kernels/cpu/cpu_runtime.h"
#include "kernels/cpu/interrupt_handler.h"
#include "kernels/ir/routine.h"

namespace acceld::kernels::cpu {

// Computes a routine's call, which CheckRoutine must accept, on memory of the host. `addresses` has
// the addresses of the operands and then those of the results, each aligned to kBufferAlignment.
// Results share no bytes with operands or with each other. The call blocks and uses up to
// `num_threads` threads: helpers of `runtime`, or the calling thread alone if that is nullptr. It
// polls `*interrupted`, which must not be null: once that is true, the call returns CANCELLED soon,
// or, if `interrupt_handler` is given, does as InterruptHandler::WaitWhilePaused says. Other
// errors: RESOURCE_EXHAUSTED when memory runs out, INTERNAL for a failure of the library.
absl::Status RunRoutineOnHost(const RoutineCall& call, void* const* addresses, CpuRuntime* runtime,
                              int num_threads, const volatile bool* interrupted,
                              InterruptHandler* interrupt_handler = nullptr);

}  // namespace acceld::kernels::cpu
