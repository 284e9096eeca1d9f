#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// A HostCallFunction: asks the context's HostCaller. Fails a run that has none.
int32_t CallHost(const LaunchContext* context, const int64_t* descriptor, void* const* places);

}  // namespace acceld::kernels::cpu
