#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Allocates and frees the scratch arrays of generated code that are too large for the stack.
// AllocateScratch returns null when memory runs out, and records RESOURCE_EXHAUSTED in the
// context's RunState. An AllocateFunction and a ReleaseFunction (support_abi.h).
void* AllocateScratch(const LaunchContext* context, int64_t bytes);
void ReleaseScratch(void* memory);

}  // namespace acceld::kernels::cpu
