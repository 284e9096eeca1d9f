#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Scratch arrays too large for the stack. Null, with the failure noted as RESOURCE_EXHAUSTED, when
// memory is short.
void* AllocateScratch(const LaunchContext* context, int64_t bytes);
void ReleaseScratch(void* memory);

}  // namespace acceld::kernels::cpu
