#pragma once

#include "common/status.h"
#include "kernels/ir/routine.h"

namespace acceld::kernels::cpu {

// Computes a call that CheckRoutine accepts, on the host's memory: operands and then results at
// `places`, aligned to kBufferAlignment. Results share no bytes with others. On up to `num_threads`
// threads; CANCELLED soon after `*cancelled` turns true.
absl::Status RunRoutineOnHost(const RoutineCall& call, void* const* places, int num_threads,
                              const volatile bool* cancelled);

}  // namespace acceld::kernels::cpu
