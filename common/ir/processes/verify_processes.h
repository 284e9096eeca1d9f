#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// Checks what concerns the processes of a module whose functions are valid otherwise: the number of
// processes, meshes, shardings, the types of manual computations, and the groups of collectives. A
// module of one process may contain collectives of any groups only if it is a test that runs its
// functions as several (conformance/conformance.h); other modules must not be run so.
// INVALID_ARGUMENT, with the function, the op and the values.
absl::Status VerifyProcesses(const Module& module);

// Whether the module, whose call graph is valid, computes on the values of one process: a public
// function has collectives, or asks for the number of the process, outside of manual computations.
bool IsLocal(const Module& module);

}  // namespace acceld::ir
