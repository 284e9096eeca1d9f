#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Takes part in a collective by context->collectives. A CollectiveFunction (support_abi.h):
// `descriptor` has the layout of CollectiveKeyOf, and `addresses` has the addresses of the
// operands, then of the results. Blocks until the results are written. Returns a CodeStatus; with
// kFailed, the error is in the context's RunState. Fails with FAILED_PRECONDITION if
// context->collectives is nullptr.
int32_t RunCollective(const LaunchContext* context, const int64_t* descriptor,
                      void* const* addresses);

}  // namespace acceld::kernels::cpu
