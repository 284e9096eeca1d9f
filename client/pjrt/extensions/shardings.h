#pragma once

#include "client/pjrt/abi/abi.h"

namespace acceld::pjrt {

// Returns the extension that tells the framework how the parameters and results of a program for
// several devices are distributed over them. JAX checks that those that its user has specified are
// unchanged, and gives the others to arrays. Without the extension, JAX asks for the optimized
// program after each compilation, converts it to an HLO module and searches that, which takes
// longer than the rest of the call. `next` is the successor in the list of extensions.
PJRT_Extension_Base* ShardingsExtension(PJRT_Extension_Base* next);

}  // namespace acceld::pjrt
