#pragma once

#include "common/status.h"
#include "kernels/cpu/interrupts.h"
#include "kernels/ir/routine.h"

namespace acceld::kernels::cpu {

// Computes a call that CheckRoutine accepts, on the host's memory: operands and then results at
// `places`, aligned to kBufferAlignment. Results share no bytes with others. On up to `num_threads`
// threads; CANCELLED soon after `*interrupted` turns true, unless `interrupts` lets it go on.
absl::Status RunRoutineOnHost(const RoutineCall& call, void* const* places, int num_threads,
                              const volatile bool* interrupted, Interrupts* interrupts = nullptr);

}  // namespace acceld::kernels::cpu
