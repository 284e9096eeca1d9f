#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// Returns the module, which is for one process, without what concerns several: collectives give
// their operands (converted where they combine in another type, zeros where nothing is sent), the
// numbers of the process are 0, sharding constraints give their operands, manual computations
// become the ops of their regions, and meshes and shardings are gone. So the program is the same,
// with the same fingerprint, as one that was written for one device. Errors: those of
// ProcessGroupsOf, naming the function and the op.
absl::StatusOr<Module> ForSingleProcess(Module module);

// Whether the module has any op or sharding that ForSingleProcess would replace.
bool ConcernsProcesses(const Module& module);

}  // namespace acceld::ir
