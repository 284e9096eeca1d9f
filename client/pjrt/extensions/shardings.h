#pragma once

#include "client/pjrt/abi/abi.h"

namespace acceld::pjrt {

// Tells the framework how a program's parameters and results are spread over devices: not at all,
// as every program runs on one. Without this extension JAX asks for the optimized program whenever
// it has compiled one, makes an HLO module of it and looks there, which takes longer than the rest
// of the call.
PJRT_Extension_Base* ShardingsExtension(PJRT_Extension_Base* next);

}  // namespace acceld::pjrt
