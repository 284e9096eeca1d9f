#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Evaluates elementwise and indexing ops on constants, with the reference interpreter. Bounded: a
// result has at most 4096 elements, or is a splat and stays one; the results of a program together
// have 64 MiB, after which ops are left as they are. Loops are never run.
absl::StatusOr<ir::Module> FoldConstants(const ir::Module& module);

}  // namespace acceld::compiler
