#pragma once

#include "client/pjrt/abi/abi.h"

namespace acceld::pjrt {

// Returns the extension that tells the framework how a program's parameters and results are
// distributed over devices: not at all, because every program runs on one device. Without it JAX
// asks for the optimized program after each compilation, converts it to an HLO module and searches
// that, which takes longer than the rest of the call. `next` is the successor in the list of
// extensions.
PJRT_Extension_Base* ShardingsExtension(PJRT_Extension_Base* next);

}  // namespace acceld::pjrt
