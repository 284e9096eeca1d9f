#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Runs a routine, and returns when the results are complete. A RoutineFunction (support_abi.h):
// `descriptor` has the layout of RoutineKeyOf (routine_key.h), and `addresses` has the addresses of
// the operands, then of the results. Threads share the work in such a way that results do not
// depend on their number. Returns a CodeStatus; with kFailed, the error is in the context's
// RunState.
int32_t RunRoutine(const LaunchContext* context, const int64_t* descriptor, void* const* addresses);

}  // namespace acceld::kernels::cpu
