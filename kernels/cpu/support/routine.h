#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Runs the routine that the descriptor (routine_key.h) names on operands and results at `places`.
// The items of a batch are shared out among the threads, each is computed by one: results do not
// depend on how many there are. A CodeStatus; kFailed notes why in the context's RunState.
int32_t RunRoutine(const LaunchContext* context, const int64_t* descriptor, void* const* places);

}  // namespace acceld::kernels::cpu
