#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Copies `size_bytes` bytes between ranges that are equal or disjoint; does nothing if they are
// equal. Large ranges are copied by several threads. Polls from time to time. Returns a CodeStatus:
// kOk, or kCancelled if the run has to end. A CopyFunction (support_abi.h).
int32_t CopyOnThreads(const LaunchContext* context, void* to, const void* from, int64_t size_bytes);

}  // namespace acceld::kernels::cpu
