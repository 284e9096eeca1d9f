#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Copies between ranges that are equal or disjoint, large ones on several threads, with polls in
// between. Nothing is done when the ranges are equal.
int32_t CopyOnThreads(const LaunchContext* context, void* to, const void* from, int64_t size_bytes);

}  // namespace acceld::kernels::cpu
