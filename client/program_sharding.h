#pragma once

#include "common/ir/processes/process_signature.h"

namespace acceld::client {

// How the values of a program for several devices are distributed over its participants, the
// processes of the program. The functions on shardings are in common/ir/processes/sharding.h.
using ProgramSharding = ir::ProcessSignature;

}  // namespace acceld::client
